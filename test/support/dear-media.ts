// Calls with the most expensive media of each format, and a provider that bills the documented maximum.
import { blackPng } from '../media/crafted.ts'
import { craftedMp3, craftedMp4, craftedOpus, craftedPdf, craftedWav } from './crafted-media.ts'
import { wholePath } from './native.ts'
import { type Scene, type SceneOptions, scene } from './scene.ts'
import { modelSection, providerSection } from './sections.ts'
import { type Answer, type UpstreamRequest, whole } from './upstream.ts'

export const BALANCE_USD = '0.05'
/** The context of each model. */
const CONTEXT_TOKENS = 200_000
const ADDRESS = 'https://files.example.com/an-hour'
const FOUND_URL = 'https://example.org/found'

/** The tokens that each provider bills, taken from its documents and not from the gateway's table. */
interface Billing {
  readonly page_tokens: number
  readonly reads_text: boolean
  readonly audio_per_s: number
  readonly image_tokens: number
}
const BILLING: Readonly<Record<string, Billing>> = {
  'claude-haiku-4-5': { page_tokens: 1_600, reads_text: true, audio_per_s: 0, image_tokens: 1_600 },
  // A page costs at most 4,784; the image here 28 times 74, by squares of 28 pixels.
  'claude-opus-5': { page_tokens: 4_784, reads_text: true, audio_per_s: 0, image_tokens: 2_072 },
  'gpt-4o-mini': { page_tokens: 25_501, reads_text: true, audio_per_s: 10, image_tokens: 48_169 },
  'gpt-4o': { page_tokens: 1_105, reads_text: true, audio_per_s: 10, image_tokens: 1_445 },
  'gemini-3.5-flash': { page_tokens: 1_120, reads_text: false, audio_per_s: 32, image_tokens: 2_240 },
  'llama-3.2-90b-vision': { page_tokens: 6_404, reads_text: true, audio_per_s: 50, image_tokens: 6_404 },
}
const VIDEO_TOKENS_PER_S = 300

/** A medium as a caller sends it. */
interface DearMedium {
  readonly name: string
  readonly mime: string
  /** Base64, or an address. */
  readonly data: string
  tokens(billing: Billing): number
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const pdf = (name: string, options: Parameters<typeof craftedPdf>[0], text_tokens = 0): DearMedium => ({
  name,
  mime: 'application/pdf',
  data: base64(craftedPdf(options)),
  tokens: ({ page_tokens, reads_text }) => options.pages * page_tokens + (reads_text ? text_tokens : 0),
})
const audio = (name: string, mime: string, bytes: Buffer, seconds: number): DearMedium => ({
  name,
  mime,
  data: base64(bytes),
  tokens: ({ audio_per_s }) => seconds * audio_per_s,
})

const PDFS = [
  pdf('a PDF of one page', { pages: 1, letters: 1_000 }, 1_000),
  pdf('a PDF of 100 pages', { pages: 100 }),
  pdf('100 pages in an object stream', { pages: 100, packed: true }),
  pdf('100 pages under a count of one', { pages: 100, count: 1, packed: true }),
  pdf('100 pages behind text that looks like a comment', { pages: 100, count: 1, hidden: true }),
  pdf('a long text', { pages: 1, letters: 100_000 }, 100_000),
  pdf('a text that 50 pages share', { pages: 50, letters: 2_000, shared: true, packed: true }, 100_000),
  pdf('a text drawn a hundred times', { pages: 1, letters: 1_000, drawn: 100 }, 100_000),
  pdf('letters that stand for words', { pages: 1, letters: 1_000, letter_text: '漢字'.repeat(50) }, 100_000),
]
const AUDIO = [
  audio('MP3 of 8 kbit/s', 'audio/mp3', craftedMp3(2_000), 2_000),
  audio('WAV of 8 kHz', 'audio/wav', craftedWav(60), 60),
  audio('Opus of silence', 'audio/ogg', craftedOpus(2_000), 2_000),
]
const VIDEO: DearMedium = {
  name: 'a video of one long frame',
  mime: 'video/mp4',
  data: base64(craftedMp4(600)),
  tokens: () => 600 * VIDEO_TOKENS_PER_S,
}
const IMAGE: DearMedium = {
  name: 'a tall image',
  mime: 'image/png',
  data: base64(blackPng(768, 2_048)),
  tokens: ({ image_tokens }) => image_tokens,
}
const UNSEEN: DearMedium = {
  name: 'a file by its address',
  mime: 'application/pdf',
  data: ADDRESS,
  tokens: () => CONTEXT_TOKENS,
}
const MEDIA = [...PDFS, ...AUDIO, VIDEO, IMAGE, UNSEEN]
const uriOf = ({ mime, data }: DearMedium): string =>
  data === ADDRESS ? data : `data:${mime};base64,${data}`

/** A call of a surface with a medium. */
interface DearCase {
  readonly surface: string
  readonly medium: DearMedium
  readonly path: string
  body(): object
}

type Surface = (model: string, medium: DearMedium) => DearCase
const turn = (content: object) => [{ role: 'user', content: [content] }]

const messages: Surface = (model, medium) => {
  const { mime, data } = medium
  const source = data === ADDRESS ? { type: 'url', url: data } : { type: 'base64', media_type: mime, data }
  const type = mime.startsWith('image/') ? 'image' : 'document'
  return {
    surface: `messages to ${model}`,
    medium,
    path: '/v1/messages',
    body: () => ({ model, max_tokens: 1, messages: turn({ type, source }) }),
  }
}
/** A medium that a provider's own tool found, sent back by the caller. */
const toolResult: Surface = (model, medium) => {
  const { path } = messages(model, medium)
  const source = { type: 'base64', media_type: medium.mime, data: medium.data }
  const document = { type: 'document', source, title: 'x' }
  const tool_use_id = 'srvtoolu_1'
  const use = { type: 'server_tool_use', id: tool_use_id, name: 'web_fetch', input: { url: FOUND_URL } }
  const content = { type: 'web_fetch_result', url: FOUND_URL, content: document }
  const result = { type: 'web_fetch_tool_result', tool_use_id, content }
  return {
    surface: `messages with a found document, to ${model}`,
    medium,
    path,
    body: () => ({
      model,
      max_tokens: 1,
      messages: [
        ...turn({ type: 'text', text: 'x' }),
        { role: 'assistant', content: [use, result] },
        ...turn({ type: 'text', text: 'x' }),
      ],
    }),
  }
}
const chat: Surface = (model, medium) => {
  const { mime, data } = medium
  const part = mime.startsWith('image/')
    ? { type: 'image_url', image_url: { url: uriOf(medium) } }
    : mime.startsWith('audio/')
      ? { type: 'input_audio', input_audio: { data, format: mime.slice(6) } }
      : mime.startsWith('video/')
        ? { type: 'video_url', video_url: { url: uriOf(medium) } }
        : { type: 'file', file: data === ADDRESS ? { file_id: 'file-1' } : { file_data: uriOf(medium) } }
  return {
    surface: `chat to ${model}`,
    medium,
    path: '/v1/chat/completions',
    body: () => ({ model, max_tokens: 1, messages: turn(part) }),
  }
}
const responses: Surface = (model, medium) => {
  const part = medium.mime.startsWith('image/')
    ? { type: 'input_image', image_url: uriOf(medium) }
    : medium.data === ADDRESS
      ? { type: 'input_file', file_url: ADDRESS }
      : { type: 'input_file', filename: 'a.pdf', file_data: uriOf(medium) }
  return {
    surface: `responses to ${model}`,
    medium,
    path: '/v1/responses',
    body: () => ({ model, max_output_tokens: 16, store: false, input: turn(part) }),
  }
}
const native: Surface = (model, medium) => {
  const { mime, data } = medium
  const part =
    data === ADDRESS
      ? { fileData: { mimeType: mime, fileUri: data } }
      : { inlineData: { mimeType: mime, data } }
  return {
    surface: `native to ${model}`,
    medium,
    path: wholePath(model),
    body: () => ({ contents: [{ role: 'user', parts: [part] }], generationConfig: { maxOutputTokens: 1 } }),
  }
}

const DOCUMENTS = [...PDFS, UNSEEN]
export const EXPENSIVE_CASES: readonly DearCase[] = [
  ...[...DOCUMENTS, IMAGE].flatMap((medium) => [
    messages('claude-haiku-4-5', medium),
    messages('claude-opus-5', medium),
    responses('gpt-4o', medium),
  ]),
  ...[...PDFS, IMAGE].flatMap((medium) => [
    messages('gemini-3.5-flash', medium),
    chat('claude-haiku-4-5', medium),
  ]),
  ...[...DOCUMENTS, ...AUDIO, VIDEO, IMAGE].flatMap((medium) => [
    chat('gpt-4o', medium),
    chat('gpt-4o-mini', medium),
  ]),
  ...MEDIA.map((medium) => native('gemini-3.5-flash', medium)),
  ...PDFS.map((medium) => toolResult('claude-haiku-4-5', medium)),
  ...[IMAGE].map((medium) => chat('llama-3.2-90b-vision', medium)),
]

const PROTOCOLS: Readonly<Record<string, 'openai' | 'anthropic' | 'gemini'>> = {
  g: 'openai',
  l: 'openai',
  c: 'anthropic',
}
const protocolOf = (model: string) =>
  model.startsWith('gemini') ? 'gemini' : (PROTOCOLS[model[0] ?? ''] ?? 'openai')

const PRICE = 'input = 1, output = 1, cache_read = 1, cache_write_5m = 1, cache_write_1h = 1'
const catalogueOf = (url: string): string =>
  [
    '[server]\nlog_level = "error"\n',
    providerSection('openai', 'openai', `${url}/v1`, 'responses = true'),
    providerSection('anthropic', 'anthropic', `${url}/anthropic`),
    providerSection('gemini', 'gemini', `${url}/gemini`),
    ...Object.keys(BILLING).map((model) =>
      modelSection(
        model,
        { [protocolOf(model)]: model },
        { price: PRICE, more: `context = ${CONTEXT_TOKENS}` },
      ),
    ),
  ].join('')

/** Bills each known medium in the request, and one token for every four of the other bytes. */
function answerTo({ body, path }: UpstreamRequest): Answer {
  const text = body.toString()
  const model = Object.keys(BILLING).find((name) => text.includes(`"${name}"`) || path.includes(name))
  const billing = BILLING[model ?? '']
  if (!billing) throw new Error(`no model in ${path}`)
  const found = MEDIA.filter(
    ({ data }) => text.includes(data) || (data === ADDRESS && text.includes('file-1')),
  )
  const rest = found.reduce((left, { data }) => left - data.length, text.length)
  const media_tokens = found.reduce((sum, medium) => sum + medium.tokens(billing), 0)
  const tokens = Math.min(CONTEXT_TOKENS, media_tokens + Math.ceil(Math.max(0, rest) / 4))
  if (path.includes('gemini'))
    return whole({
      candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: tokens, candidatesTokenCount: 1 },
    })
  const usage = { input_tokens: tokens, output_tokens: 1, total_tokens: tokens + 1 }
  if (path.endsWith('/messages'))
    return whole({ content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage })
  if (path.endsWith('/responses'))
    return whole({
      id: 'resp_1',
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }],
      usage,
    })
  return whole({
    choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: tokens, completion_tokens: 1, total_tokens: tokens + 1 },
  })
}

/** A gateway in front of a provider that bills media by the documented maxima. */
export const expensiveMediaScene = (options: Pick<SceneOptions, 'parent_folder'> = {}): Promise<Scene> =>
  scene({ ...options, catalogue: catalogueOf, script: answerTo })
