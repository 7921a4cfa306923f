// Input in fields that the gateway does not use, but that providers read and bill.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { Account, Call } from '../../src/store/schema.ts'
import { wholePath } from './native.ts'
import { type Scene, type SceneOptions, scene } from './scene.ts'
import { modelSection, providerSection } from './sections.ts'
import { type CountTokens, countCl100k } from './tokenizers.ts'
import { type Answer, events, type UpstreamRequest, whole } from './upstream.ts'

/** The balance of an account: 1 USD is a million tokens, of input or output. */
const BALANCE_USD = '0.01'
const TOKEN_PRICE = 'input = 1, output = 1, cache_read = 1, cache_write_5m = 1, cache_write_1h = 1'

const random = (seed: number, chars: number, alphabet: string): string => {
  let state = seed
  return Array.from({ length: chars }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return alphabet[Math.floor((state / 2 ** 32) * alphabet.length)]
  }).join('')
}
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** Texts for the field by their class, each of 1,500 tokens or more. */
export const TEXTS: Readonly<Record<string, string>> = {
  prose: 'The quick brown fox jumps over the lazy dog, and then it rests for a while. '.repeat(100),
  digits: random(1, 4_500, '0123456789'),
  base64: random(2, 2_400, `${LETTERS}${LETTERS.toUpperCase()}0123456789+/`),
  emoji: '🦤🪐🫎🛖🧿🪬🫧🥻 '.repeat(70),
}

/** A call with a text in one of its fields. */
interface UncountedCase {
  readonly surface: string
  readonly field: string
  readonly path: string
  /** A string is JSON and sent unchanged. */
  body(text: string): object | FormData | string
}

const chat = (
  field: string,
  message: (text: string) => object,
  rest?: (text: string) => object,
): UncountedCase => ({
  surface: 'chat',
  field,
  path: '/v1/chat/completions',
  body: (text) => ({
    model: 'of-openai',
    max_tokens: 1,
    messages: [{ role: 'user', content: 'Hi', ...message(text) }],
    ...rest?.(text),
  }),
})
const nothing = () => ({})
const messages = (
  field: string,
  block: (text: string) => object,
  rest?: (text: string) => object,
): UncountedCase => ({
  surface: 'messages',
  field,
  path: '/v1/messages',
  body: (text) => ({
    model: 'of-anthropic',
    max_tokens: 1,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', ...block(text) }] }],
    ...rest?.(text),
  }),
})
const document = (more: object) => ({
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: 'x' },
  ...more,
})
const native = (
  field: string,
  part: (text: string) => object,
  rest?: (text: string) => object,
): UncountedCase => ({
  surface: 'native',
  field,
  path: wholePath('of-gemini'),
  body: (text) => ({
    contents: [{ role: 'user', parts: [{ text: 'Hi', ...part(text) }] }],
    generationConfig: { maxOutputTokens: 1 },
    ...rest?.(text),
  }),
})
const responses = (
  field: string,
  item: (text: string) => object,
  rest?: (text: string) => object,
): UncountedCase => ({
  surface: 'responses',
  field,
  path: '/v1/responses',
  body: (text) => ({
    model: 'of-openai',
    max_output_tokens: 1,
    store: false,
    input: [{ role: 'user', content: 'Hi', ...item(text) }],
    ...rest?.(text),
  }),
})
const json = (surface: string, path: string, body: object): UncountedCase => ({
  surface,
  field: 'an unknown field',
  path,
  body: (text) => ({ ...body, notes: text }),
})
const WAV = readFileSync(join(import.meta.dir, '../fixtures/audio/tone.wav'))
const transcription = (field: string): UncountedCase => ({
  surface: 'transcriptions',
  field,
  path: '/v1/audio/transcriptions',
  body(text) {
    const form = new FormData()
    form.append('model', 'ear')
    form.append(field, text)
    form.append('file', new File([WAV], 'tone.wav', { type: 'audio/wav' }))
    return form
  },
})

/** The same call to another protocol's provider. */
const translated = (one: UncountedCase, model: string): UncountedCase => ({
  ...one,
  surface: `${one.surface} to ${model}`,
  body: (text) => ({ ...Object(one.body(text)), model }),
})

/** Input that parsing drops: all but the last of equal names, and the digits beyond a number's precision. */
const droppedByParsing = (one: UncountedCase): readonly UncountedCase[] => {
  const endsWith = (ending: string) => `${JSON.stringify(one.body('')).slice(0, -1)},${ending}}`
  return [
    {
      ...one,
      field: 'a name given twice',
      body: (text) => endsWith(`"notes":${JSON.stringify(text)},"notes":{}`),
    },
    {
      ...one,
      field: 'a name given twice, further in',
      body: (text) => endsWith(`"notes":[{"a":${JSON.stringify(text)},"a":1}]`),
    },
    {
      ...one,
      field: 'a long number',
      body: ({ length }) => endsWith(`"notes":[{"a":${'4071'.repeat(length / 8)}}]`),
    },
  ]
}

export const CASES: readonly UncountedCase[] = [
  chat('reasoning_content', (text) => ({ reasoning_content: text })),
  chat('refusal', (text) => ({ refusal: text })),
  chat('name', (name) => ({ name })),
  chat('an unknown field of a message', (notes) => ({ notes })),
  chat('an unknown part', (text) => ({ content: [{ type: 'text', text: 'Hi', notes: text }] })),
  chat('documents', nothing, (text) => ({ documents: [{ title: 'x', text }] })),
  chat('chat_template', nothing, (chat_template) => ({ chat_template })),
  chat('prediction', nothing, (content) => ({ prediction: { type: 'content', content } })),
  chat('an unknown field', nothing, (notes) => ({ notes: { deeper: [notes] } })),
  messages('context of a document', (context) => document({ context })),
  messages('title of a document', (title) => document({ title })),
  messages('cited_text', (cited_text) => ({ citations: [{ type: 'char_location', cited_text }] })),
  messages('an unknown block', (said) => ({ type: 'unheard_of', said })),
  messages('output_format', nothing, (description) => ({
    output_format: { type: 'json_schema', schema: { description } },
  })),
  messages('an unknown field', nothing, (notes) => ({ notes })),
  native('an unknown field of a part', (notes) => ({ notes })),
  native('an unknown field', nothing, (notes) => ({ notes })),
  responses('an unknown field of an item', (notes) => ({ notes })),
  responses('an unknown field', nothing, (notes) => ({ notes })),
  translated(
    chat('reasoning_content', (reasoning_content) => ({ role: 'assistant', reasoning_content })),
    'of-anthropic',
  ),
  translated(
    chat('name', (name) => ({ name })),
    'of-gemini',
  ),
  translated(
    messages('context of a document', (context) => document({ context })),
    'of-openai',
  ),
  translated(
    messages('system', nothing, (system) => ({ system })),
    'of-gemini',
  ),
  json('embeddings', '/v1/embeddings', { model: 'vectors', input: 'Hi' }),
  json('moderations', '/v1/moderations', { model: 'judge', input: 'Hi' }),
  json('rerank', '/v1/rerank', { model: 'sorter', query: 'Hi', documents: ['a', 'b'] }),
  json('speech', '/v1/audio/speech', { model: 'voice', input: 'Hi', stream_format: 'sse' }),
  ...[chat, messages, native, responses].flatMap((surface) => droppedByParsing(surface('', nothing))),
  ...droppedByParsing(json('embeddings', '/v1/embeddings', { model: 'vectors', input: 'Hi' })),
  ...droppedByParsing(json('moderations', '/v1/moderations', { model: 'judge', input: 'Hi' })),
  ...droppedByParsing(json('rerank', '/v1/rerank', { model: 'sorter', query: 'Hi', documents: ['a', 'b'] })),
  ...droppedByParsing(
    json('speech', '/v1/audio/speech', { model: 'voice', input: 'Hi', stream_format: 'sse' }),
  ),
  transcription('prompt'),
  transcription('notes'),
]

const provider = (protocol: BuiltInProtocol, url: string) =>
  protocol === 'openai'
    ? providerSection(protocol, protocol, `${url}/v1`, 'responses = true')
    : providerSection(protocol, protocol, `${url}/${protocol}`)
const model = (id: string, kind: string, protocol: BuiltInProtocol, price = TOKEN_PRICE) =>
  modelSection(id, { [protocol]: 'm' }, { kind, price })
const catalogueOf = (url: string): string =>
  [
    '[server]\nlog_level = "error"\n',
    ...(['gemini', 'anthropic', 'openai'] as const).map(
      (protocol) => provider(protocol, url) + model(`of-${protocol}`, 'text', protocol),
    ),
    model('vectors', 'embedding', 'openai', 'input = 1'),
    model('judge', 'moderation', 'openai', 'input = 1'),
    model('sorter', 'rerank', 'openai', 'input = 1'),
    model('voice', 'speech', 'openai', 'input = 1, output = 1'),
    model('ear', 'transcription', 'openai', 'input = 1, audio = 1, output = 1'),
  ].join('')

/** The answer of a provider that bills each byte of the request by its tokenizer. */
function answerTo(seen: UpstreamRequest, count: CountTokens): Answer {
  const text = seen.body.toString('latin1')
  const { path } = seen
  if (path.includes('/audio/transcriptions')) {
    const fields = seen.body.subarray(0, text.indexOf('name="file"')).toString()
    const texts = [...fields.matchAll(/name="([^"]+)"\r\n\r\n([\s\S]*?)\r\n--/g)].map(
      ([, name, value]) => `${name} ${value}`,
    )
    const input_tokens = count(texts.join('\n')) + 25
    const usage = {
      type: 'tokens',
      input_tokens,
      input_token_details: { audio_tokens: 25 },
      output_tokens: 1,
    }
    return whole({ text: 'Hi.', usage })
  }
  const body = JSON.parse(seen.body.toString())
  const tokens = count(seen.body.toString())
  const openai = { prompt_tokens: tokens, completion_tokens: 1, total_tokens: tokens + 1 }
  const spoken = { input_tokens: tokens, output_tokens: 1, total_tokens: tokens + 1 }
  if (path.includes(':generateContent')) {
    const usageMetadata = { promptTokenCount: tokens, candidatesTokenCount: 1 }
    return whole({
      candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
      usageMetadata,
    })
  }
  if (path.endsWith('/messages'))
    return whole({ content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage: spoken })
  if (path.endsWith('/chat/completions'))
    return whole({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }], usage: openai })
  if (path.endsWith('/responses'))
    return whole({
      id: 'resp_1',
      status: 'completed',
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }],
      usage: spoken,
    })
  if (path.endsWith('/embeddings')) return whole({ data: [{ embedding: [1] }], usage: openai })
  if (path.endsWith('/rerank')) {
    const documents = JSON.stringify(body.documents)
    const beside = seen.body.toString().replace(documents, '')
    const total_tokens = body.documents.length * count(beside) + count(documents)
    return whole({ results: [], usage: { total_tokens } })
  }
  if (path.endsWith('/audio/speech'))
    return events([
      { type: 'speech.audio.delta', audio: 'AAAA' },
      { type: 'speech.audio.done', usage: spoken },
    ])
  return whole({ results: [], usage: openai })
}

/** Counts tokens, and each body only once. */
function counting(): CountTokens {
  const counted = new Map<string, number>()
  return (text) => {
    const tokens = counted.get(text) ?? countCl100k(text)
    counted.set(text, tokens)
    return tokens
  }
}

/** A gateway with a model of every kind, in front of a provider that bills each byte. */
export const uncountedScene = (options: Pick<SceneOptions, 'parent_folder'> = {}): Promise<Scene> => {
  const count = counting()
  return scene({ ...options, catalogue: catalogueOf, script: (seen) => answerTo(seen, count) })
}

interface Purchase {
  /** The number of answers, and their total cost. */
  answers: number
  cost_nanos: number
  debt_nanos: number
  /** Statuses other than those of an answer and of a balance that is too low. */
  strange: readonly number[]
  /** Calls that cost more than their hold. */
  above_hold: number
  /** Whether the cost stayed within the balance. */
  held: boolean
}

let named = 0

/** Makes this number of calls at once, by a new account with a cent or with this balance. */
export async function buy(
  s: Scene,
  { path, body }: Pick<UncountedCase, 'path' | 'body'>,
  text: string,
  calls: number,
  balance_usd: `0.0${number}` = BALANCE_USD,
): Promise<Purchase> {
  const { id, name } = await s.gateway.account(`cent-${named++}`, { balance_usd })
  const key = await s.gateway.key(name)
  const content = body(text)
  const sent = typeof content === 'string' || content instanceof FormData ? content : JSON.stringify(content)
  const statuses = await Promise.all(
    Array.from({ length: calls }, async () => {
      const response = await fetch(new URL(path, s.gateway.url), {
        method: 'POST',
        headers: {
          'x-api-key': key,
          'anthropic-version': '2023-06-01',
          ...(content instanceof FormData ? {} : { 'content-type': 'application/json' }),
        },
        body: sent,
      })
      await response.arrayBuffer()
      return response.status
    }),
  )
  await s.gateway.rest()
  const mine = s.gateway.db.query<Call, [number]>('SELECT * FROM calls WHERE account_id = ?').all(id)
  const cost_nanos = mine.reduce((sum, call) => sum + call.cost_nanos, 0)
  const account = s.gateway.db.query<Account, [number]>('SELECT * FROM accounts WHERE id = ?').get(id)
  const debt_nanos = account?.debt_nanos ?? Number.NaN
  return {
    answers: statuses.filter((status) => status === 200).length,
    cost_nanos,
    debt_nanos,
    strange: [...new Set(statuses)].filter((status) => status !== 200 && status !== 402),
    above_hold: mine.filter((call) => call.cost_nanos > call.hold_nanos).length,
    held: debt_nanos === 0 && cost_nanos <= Number(balance_usd) * 1_000_000_000,
  }
}
