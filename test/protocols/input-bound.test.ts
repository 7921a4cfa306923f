// Input bounds of requests: every byte that a caller sends raises them, in any field; media raise them by their own counts.
import { describe, expect, test } from 'bun:test'
import type { Medium } from '../../src/domain/media/medium.ts'
import { boundMedia } from '../../src/domain/media/tokens.ts'
import { boundText } from '../../src/domain/token-bound.ts'
import { anthropic } from '../../src/protocols/anthropic/index.ts'
import type { RequestFacts } from '../../src/protocols/facts.ts'
import { gemini } from '../../src/protocols/gemini/index.ts'
import { applyBound, boundTexts } from '../../src/protocols/input-bound.ts'
import { readCompletionRequest } from '../../src/protocols/openai/completions-request.ts'
import { readEmbeddingRequest } from '../../src/protocols/openai/embeddings.ts'
import { openai } from '../../src/protocols/openai/index.ts'
import { boundModeration } from '../../src/protocols/openai/moderations.ts'
import { readRerankRequest } from '../../src/protocols/openai/rerank.ts'
import { responses } from '../../src/protocols/openai/responses/index.ts'
import { recalledFields } from '../../src/protocols/openai/responses/recalled.ts'
import { readSpeechRequest } from '../../src/protocols/openai/speech.ts'
import { isObject, type Json, type JsonObject } from '../../src/protocols/wire/json.ts'
import { type Random, randomFrom } from '../money/ledger/random.ts'
import { IS_LONG, timeoutMs } from '../support/long.ts'
import { agentBody } from '../tools/bench/agent.ts'

const PNG = `data:image/png;base64,${'iVBORw0KGgo'.repeat(2_000)}`
const BASE64 = 'JVBERi0xLjQK'.repeat(200)

/** The bound of a medium that cannot be counted. */
const CONTEXT_TOKENS = 15_000
/** The image with the most tokens: 2,833 tokens and eight tiles of 5,667, as gpt-4o-mini has them. */
const IMAGE_TOKENS = 48_169
const withMedia = ({ tokens, media }: { tokens: number; media: readonly Medium[] }): number =>
  Math.ceil(tokens) + boundMedia(media, ['unheard-of'], CONTEXT_TOKENS)
const boundOf = ({ input_bound_tokens, media = [] }: RequestFacts): number =>
  withMedia({ tokens: input_bound_tokens, media })

/** A request of each surface with each kind of object that may have a further field, and the reader of its bound. */
const SURFACES: Readonly<Record<string, { body: JsonObject; bound(body: JsonObject): number }>> = {
  native: {
    body: {
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { a: 1 } } }] },
        { role: 'user', parts: { functionResponse: { name: 'f', response: {}, parts: [{ text: 'x' }] } } },
      ],
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      generationConfig: { maxOutputTokens: 1, responseSchema: { type: 'OBJECT' } },
      tools: [{ functionDeclarations: [{ name: 'f', parameters: { type: 'OBJECT' } }] }],
    },
    bound: (body) => boundOf(gemini.text.readRequest(body)),
  },
  messages: {
    body: {
      model: 'm',
      max_tokens: 1,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi', citations: [{ type: 'char_location' }] },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
            { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'x' }] } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'So.', signature: 'AAAA' },
            { type: 'tool_use', id: 't', name: 'f', input: { a: 1 } },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'x' }] }],
        },
      ],
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
    },
    bound: (body) => boundOf(anthropic.text.readRequest(body)),
  },
  chat: {
    body: {
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi' },
            { type: 'image_url', image_url: { url: PNG } },
            { type: 'file', file: { file_data: `data:application/pdf;base64,${BASE64}` } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
          ],
        },
        {
          role: 'assistant',
          tool_calls: [{ id: 't', type: 'function', function: { name: 'f', arguments: '{}' } }],
          reasoning_details: [{ type: 'reasoning.encrypted', data: 'AAAA' }],
        },
      ],
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      response_format: { type: 'json_schema', json_schema: { schema: {} } },
    },
    bound: (body) => boundOf(openai.text.readRequest(body)),
  },
  responses: {
    body: {
      model: 'm',
      instructions: 'Be brief.',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_image', image_url: PNG },
            { type: 'input_text', text: 'Hi' },
          ],
        },
        { type: 'reasoning', summary: [], encrypted_content: 'AAAA' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'x' }] },
      ],
      tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
      text: { format: { type: 'text' } },
    },
    bound: (body) => boundOf(responses.text.readRequest(body)),
  },
  completions: {
    body: { model: 'm', prompt: 'Hi', stream_options: { include_usage: true } },
    bound: (body) => readCompletionRequest(body).input_bound_tokens,
  },
  embeddings: {
    body: { model: 'm', input: ['Hi', 'there'] },
    bound: (body) => Math.ceil(boundTexts(body, readEmbeddingRequest(body).count)),
  },
  rerank: {
    body: { model: 'm', query: 'Hi', documents: [{ text: 'x' }, { text: 'y', title: 'z' }] },
    bound: (body) => readRerankRequest(body, 'pass').bound.input_tokens,
  },
  moderations: {
    body: {
      model: 'm',
      input: [
        { type: 'text', text: 'Hi' },
        { type: 'image_url', image_url: { url: PNG } },
      ],
    },
    bound: (body) => withMedia(applyBound(boundModeration, body)),
  },
  speech: {
    body: { model: 'm', input: 'Hi', instructions: 'Slowly.' },
    bound: (body) => readSpeechRequest(body, 'pass').input_bound_tokens,
  },
}
const names = Object.keys(SURFACES)
const surface = (name: string) => {
  const found = SURFACES[name]
  if (!found) throw new Error(`unknown surface ${name}`)
  return found
}

const objectsIn = (value: Json): JsonObject[] =>
  Array.isArray(value)
    ? value.flatMap(objectsIn)
    : isObject(value)
      ? [value, ...Object.values(value).flatMap(objectsIn)]
      : []

const CHARS = [...'etaoin shrdlu  ETX0123456789{}[]":,.\\/+=_-\n\té–漢한😀𝕏\u0000\ud800']
const anyText = (random: Random): string =>
  Array.from({ length: random.below(40) }, () => CHARS[random.below(CHARS.length)]).join('')

/** Any value: texts, numbers, arrays and objects. */
function anyValue(random: Random, depth = 0): Json {
  const kind = random.below(depth > 3 ? 4 : 7)
  if (kind < 2) return anyText(random)
  if (kind === 2) return random.pick([null, true, false, 0, -1.5, 1e21, 123_456_789])
  if (kind === 3) return CHARS[random.below(CHARS.length)]?.repeat(random.below(400)) ?? ''
  const values = Array.from({ length: random.below(5) }, () => anyValue(random, depth + 1))
  if (kind === 4) return values
  return Object.fromEntries(values.map((value, at) => [`${anyText(random)}${at}`, value]))
}

/** The number for all surfaces together. */
const BODIES = IS_LONG ? 1_000_000 : 5_000

test(
  'bytes in an unknown field anywhere raise the bound by a quarter of a token each',
  () => {
    const random = randomFrom(23)
    const bounds = new Map(names.map((name) => [name, surface(name).bound(surface(name).body)]))
    for (let at = 0; at < BODIES; at++) {
      const name = names[at % names.length] ?? ''
      const { body, bound } = surface(name)
      const places = objectsIn(body)
      const place = places[random.below(places.length)] ?? body
      const field = `unknown_${random.below(1_000)}`
      const value = anyValue(random)
      place[field] = value
      const raised = bound(body) - (bounds.get(name) ?? Number.NaN)
      delete place[field]
      const bytes = Buffer.byteLength(JSON.stringify({ [field]: value })) - 2
      if (!(raised >= bytes / 4))
        throw new Error(
          `seed 23, body ${at} of ${name}: ${bytes} bytes raised it by ${raised}: ${JSON.stringify(value)}`,
        )
    }
  },
  timeoutMs(60_000),
)

/** 20,000 characters. */
const LONG = 'A long text that is read. '.repeat(800)
const LONG_TOKENS = boundText(LONG)

const chat = (message: JsonObject, rest: JsonObject = {}): JsonObject => ({
  messages: [{ role: 'user', content: 'Hi', ...message }],
  ...rest,
})
const messages = (block: JsonObject, rest: JsonObject = {}): JsonObject => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', ...block }] }],
  max_tokens: 1,
  ...rest,
})
const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } }

describe('the bound covers fields that only providers read', () => {
  test.each<[surface: string, field: string, body: JsonObject]>([
    ['chat', 'reasoning_content', chat({ role: 'assistant', reasoning_content: LONG })],
    ['chat', 'refusal', chat({ role: 'assistant', refusal: LONG })],
    ['chat', 'name of a message', chat({ name: LONG })],
    ['chat', 'documents', chat({}, { documents: [{ title: 'x', text: LONG }] })],
    ['chat', 'chat_template', chat({}, { chat_template: LONG })],
    ['chat', 'chat_template_kwargs', chat({}, { chat_template_kwargs: { rules: LONG } })],
    ['chat', 'prediction', chat({}, { prediction: { type: 'content', content: LONG } })],
    ['chat', 'base64 that is not a medium', chat({}, { attachment: `data:image/png;base64,${LONG}` })],
    ['messages', 'context of a document', messages({ ...pdf, context: LONG })],
    ['messages', 'title of a document', messages({ ...pdf, title: LONG })],
    ['messages', 'cited text', messages({ citations: [{ type: 'char_location', cited_text: LONG }] })],
    [
      'messages',
      'output_format',
      messages({}, { output_format: { type: 'json_schema', schema: { description: LONG } } }),
    ],
    [
      'messages',
      'data of a document that is text',
      messages({ ...pdf, source: { type: 'base64', media_type: 'text/plain', data: LONG } }),
    ],
    ['messages', 'an unknown block', messages({ type: 'unheard_of', said: LONG })],
    ['native', 'an unknown field of a part', { contents: [{ parts: [{ text: 'Hi', note: LONG }] }] }],
    ['native', 'labels', { contents: [{ parts: [{ text: 'Hi' }] }], labels: { a: LONG } }],
    [
      'native',
      'an inline text',
      {
        contents: [
          { parts: [{ inlineData: { mimeType: 'text/plain', data: Buffer.from(LONG).toString('base64') } }] },
        ],
      },
    ],
    ['responses', 'an unknown field', { input: 'Hi', notes: LONG }],
    ['responses', 'an unknown field of a message', { input: [{ role: 'user', content: 'Hi', notes: LONG }] }],
    [
      'responses',
      'recalled items',
      { input: 'Hi', ...recalledFields({ before: [{ role: 'user', content: LONG }], items: {} }) },
    ],
    ['completions', 'an unknown field', { prompt: 'Hi', notes: LONG }],
    ['embeddings', 'an unknown field', { model: 'm', input: 'Hi', instruction: LONG }],
    ['moderations', 'an unknown field', { input: 'Hi', instruction: LONG }],
    ['speech', 'an unknown field', { input: 'Hi', instruction: LONG }],
  ])('%s: %s', (name, _field, body) => {
    const bound = surface(name).bound(body)
    expect(bound).toBeGreaterThanOrEqual(LONG_TOKENS)
    expect(bound).toBeLessThan(2 * LONG_TOKENS + 20_000)
  })

  test('rerank: fields beside the documents count once for each of them', () => {
    const { bound } = surface('rerank')
    const body = { query: 'x', documents: ['a', 'b', 'c'], instruction: LONG }
    expect(bound(body)).toBeGreaterThanOrEqual(3 * LONG_TOKENS)
  })
})

describe('media in their own places raise the bound by the most that they are billed', () => {
  const image = (min = IMAGE_TOKENS) => [min, min + 100] as const
  test.each<[surface: string, medium: string, body: JsonObject, range: readonly [number, number]]>([
    ['chat', 'an image', chat({ content: [{ type: 'image_url', image_url: { url: PNG } }] }), image()],
    [
      'messages',
      'an image',
      messages({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: BASE64 } }),
      image(),
    ],
    [
      'messages',
      'an image in the result of a tool',
      messages({
        type: 'tool_result',
        content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: BASE64 } }],
      }),
      image(),
    ],
    [
      'native',
      'an image',
      { contents: [{ parts: [{ inline_data: { mime_type: 'image/png', data: BASE64 } }] }] },
      image(),
    ],
    [
      'responses',
      'an image',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: PNG }] }] },
      image(),
    ],
    [
      'responses',
      'a generated image',
      { input: [{ type: 'image_generation_call', id: 'i', result: BASE64 }] },
      image(),
    ],
    ['moderations', 'an image', { input: [{ type: 'image_url', image_url: { url: PNG } }] }, image()],
    [
      'messages',
      'a PDF',
      messages({ ...pdf, source: { ...pdf.source, data: BASE64 } }),
      [CONTEXT_TOKENS, CONTEXT_TOKENS + 200],
    ],
  ])('%s: %s', (name, _medium, body, [min, max]) => {
    const bound = surface(name).bound(body)
    expect(bound).toBeGreaterThanOrEqual(min)
    expect(bound).toBeLessThan(max)
  })

  test.each<[where: string, body: JsonObject]>([
    ['in a field of another name', chat({ picture: { type: 'image_url', image_url: { url: PNG } } })],
    ['in a part of text', chat({ content: [{ type: 'text', text: 'x', image_url: { url: PNG } }] })],
    [
      'with the head of a video',
      chat({ content: [{ type: 'image_url', image_url: { url: PNG.replace('image/png', 'video/mp4') } }] }),
    ],
    [
      'with the head of a text',
      chat({ content: [{ type: 'image_url', image_url: { url: PNG.replace('image/png', 'text/plain') } }] }),
    ],
  ])('an image in any other place counts as text: %s', (_where, body) => {
    expect(surface('chat').bound(body)).toBeGreaterThanOrEqual(PNG.length / 1.35)
  })
})

const VIDEO = 'https://example.com/an-hour.mp4'

test.each<[surface: string, body: JsonObject]>([
  ['chat', chat({ content: [{ type: 'video_url', video_url: { url: VIDEO } }] })],
  ['chat', chat({ content: [{ type: 'video', video: [VIDEO] }] })],
  ['chat', chat({ content: [{ video: 's3://bucket/an-hour.mp4' }] })],
  ['chat', chat({ content: [{ type: 'input_audio', input_audio: { data: VIDEO, format: 'mp3' } }] })],
  ['chat', chat({ content: [{ type: 'file', file: { file_data: VIDEO } }] })],
  ['responses', { input: [{ role: 'user', content: [{ type: 'input_file', file_data: VIDEO }] }] }],
  ['responses', { input: [{ role: 'user', content: [{ type: 'input_video', video_url: VIDEO }] }] }],
  ['messages', messages({ type: 'video', source: { type: 'url', url: VIDEO } })],
])(
  '%s: a URL in a part of an unknown type, or in place of data, raises the bound by a whole context',
  (name, body) => {
    expect(surface(name).bound(body)).toBeGreaterThan(CONTEXT_TOKENS)
  },
)

test('URLs in texts and in results of tools count as text', () => {
  const found = [{ type: 'web_search_result', url: VIDEO, title: VIDEO }]
  const { bound } = surface('messages')
  expect(bound(messages({ text: VIDEO }))).toBeLessThan(1_000)
  expect(bound(messages({ type: 'web_search_tool_result', content: found }))).toBeLessThan(1_000)
  expect(bound(messages({ type: 'search_result', source: VIDEO, content: [] }))).toBeLessThan(1_000)
  expect(surface('chat').bound(chat({ content: [{ type: 'text', text: VIDEO }] }))).toBeLessThan(1_000)
})

test('tools raise the bound by the text that their provider adds for the model', () => {
  const { bound } = surface('messages')
  const without = bound(messages({}))
  expect(bound(messages({}, { tools: [{ name: 'f', input_schema: {} }] }))).toBeGreaterThan(without + 530)
  expect(bound(messages({}, { tools: [{ type: 'bash_20250124', name: 'bash' }] }))).toBeGreaterThan(
    without + 1_600,
  )
})

test("the bound of an agent's request is less than twice its estimate", () => {
  const { input_tokens, input_bound_tokens } = anthropic.text.readRequest(JSON.parse(agentBody('m', 85_000)))
  expect(input_bound_tokens).toBeGreaterThan(input_tokens)
  expect(input_bound_tokens).toBeLessThan(2 * input_tokens)
})
