// `refuse_negative_margin` where every route costs more than the call brings: the model is unavailable, in each surface's shape.
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ask, streamPath, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { providerSection } from '../support/sections.ts'
import { whole } from '../support/upstream.ts'

const LOSING = {
  'lost-text': ['text', '{ input = 1, output = 4 }', '{ input = 1, output = 5 }'],
  'lost-vector': ['embedding', '{ input = 1 }', '{ input = 2 }'],
  'lost-drawing': ['image', '{ per_image = 0.04 }', '{ per_image = 0.05 }'],
  'lost-voice': ['speech', '{ per_million_characters = 15 }', '{ per_million_characters = 16 }'],
  'lost-ear': ['transcription', '{ per_minute = 0.006 }', '{ per_minute = 0.007 }'],
  'lost-judge': ['moderation', '{ input = 0.1 }', '{ input = 0.2 }'],
  'lost-sorter': ['rerank', '{ per_thousand_searches = 2 }', '{ per_thousand_searches = 3 }'],
} as const
type Losing = keyof typeof LOSING

const more = (url: string) => `
[limits]
refuse_negative_margin = true
${providerSection('dear', 'openai', `${url}/v1`)}
${Object.entries(LOSING)
  .map(
    ([id, [kind, price, cost]]) => `
[[models]]
id = "${id}"
kind = "${kind}"
price = ${price}
routes = [{ provider = "dear", model = "upstream-name", cost = ${cost} }]
`,
  )
  .join('')}`

const s = await fileScene({ more })
const { gateway, call } = s

const wordsOf = (model: Losing) =>
  `The model "${model}" is out of service for this request: this gateway has no route that may serve it. Use another model, or ask its operator; the log says why.`
const OPENAI = (model: Losing) => ({
  error: { message: wordsOf(model), type: 'invalid_request_error', param: null, code: 'model_unavailable' },
})
const IMAGES = (model: Losing) => ({
  error: { message: wordsOf(model), type: 'invalid_request_error', code: 'model_unavailable' },
})
const NATIVE = (model: Losing) => ({ error: { code: 404, status: 'NOT_FOUND', message: wordsOf(model) } })
const ANTHROPIC = { type: 'error', error: { type: 'not_found_error', message: wordsOf('lost-text') } }

const messages = [{ role: 'user', content: 'Hello' }]
const CHAT = { model: 'lost-text', messages }
const MESSAGES = { ...CHAT, max_tokens: 9 }
const VERSION = { 'anthropic-version': '2023-06-01' }
const EMBED = { model: 'lost-vector', input: 'x' }
const DRAW = { model: 'lost-drawing', prompt: 'A fox' }

const TONE = readFileSync(join(import.meta.dir, '../fixtures/audio/tone.wav'))
const form = new FormData()
form.set('model', 'lost-ear')
form.set('file', new File([TONE], 'tone.wav', { type: 'audio/wav' }))
const encoded = new Response(form)
const FORM = { 'content-type': encoded.headers.get('content-type') ?? '' }
const SPOKEN = await encoded.bytes()

type Row = readonly [
  name: string,
  path: string,
  body: object,
  shape: object,
  headers?: Record<string, string>,
]
const ROWS: readonly Row[] = [
  ['native, whole', wholePath('lost-text'), ask(), NATIVE('lost-text')],
  ['native, streamed', streamPath('lost-text'), ask(), NATIVE('lost-text')],
  ['native, an image model', wholePath('lost-drawing'), ask(), NATIVE('lost-drawing')],
  ['messages', '/v1/messages', MESSAGES, ANTHROPIC, VERSION],
  ['messages, streamed', '/v1/messages', { ...MESSAGES, stream: true }, ANTHROPIC, VERSION],
  ['chat', '/v1/chat/completions', CHAT, OPENAI('lost-text')],
  ['chat, streamed', '/v1/chat/completions', { ...CHAT, stream: true }, OPENAI('lost-text')],
  [
    'chat, an image model',
    '/v1/chat/completions',
    { ...CHAT, model: 'lost-drawing' },
    OPENAI('lost-drawing'),
  ],
  ['completions', '/v1/completions', { model: 'lost-text', prompt: 'Hello' }, OPENAI('lost-text')],
  ['responses', '/v1/responses', { model: 'lost-text', input: 'Hello' }, OPENAI('lost-text')],
  [
    'responses, streamed',
    '/v1/responses',
    { model: 'lost-text', input: 'Hello', stream: true },
    OPENAI('lost-text'),
  ],
  ['embeddings', '/v1/embeddings', EMBED, OPENAI('lost-vector')],
  ['images', '/v1/images/generations', DRAW, IMAGES('lost-drawing')],
  [
    'images, partial',
    '/v1/images/generations',
    { ...DRAW, stream: true, partial_images: 1 },
    IMAGES('lost-drawing'),
  ],
  [
    'speech',
    '/v1/audio/speech',
    { model: 'lost-voice', input: 'Hello', voice: 'alloy' },
    OPENAI('lost-voice'),
  ],
  ['transcription', '/v1/audio/transcriptions', SPOKEN, OPENAI('lost-ear'), FORM],
  ['moderations', '/v1/moderations', { model: 'lost-judge', input: 'x' }, OPENAI('lost-judge')],
  [
    'rerank',
    '/v1/rerank',
    { model: 'lost-sorter', query: 'x', documents: ['a', 'b'] },
    OPENAI('lost-sorter'),
  ],
]

describe('a model without a route that may serve it', () => {
  test.each(ROWS)('%s: 404, nothing is held or sent', async (_, path, body, shape, headers = {}) => {
    const before = s.counts()
    const refused = await call(path, body, { headers })
    const text = await refused.text()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([404, null])
    expect(JSON.parse(text)).toMatchObject(shape)
    expect(text).not.toMatch(/cost|price|margin|dear|upstream-name/i)
    await s.expectCounts(before)
  })

  test('the log names the cause', async () => {
    const answer = await call(wholePath('lost-text'), ask())
    const request_id = answer.headers.get('x-request-id')
    const lines = gateway.log.lines().filter((line) => line.request_id === request_id)
    expect(lines).toContainEqual(
      expect.objectContaining({
        message: 'request refused',
        cause: 'every route costs more than the call brings (refuse_negative_margin)',
      }),
    )
  })

  test('a retry under the same Idempotency-Key is decided anew', async () => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const statusNow = async () => (await call('/v1/embeddings', EMBED, { headers })).status
    expect(await statusNow()).toBe(404)
    await s.recatalogue({ more: (url) => more(url).replace('refuse_negative_margin = true', '') })
    s.upstream.answer(whole({ data: [{ index: 0, embedding: [0.5] }], usage: { prompt_tokens: 1 } }))
    expect(await statusNow()).toBe(200)
    await s.recatalogue({ more })
    expect(await statusNow()).toBe(200)
    expect(s.upstream.requests).toHaveLength(1)
  })
})
