// silent.md, Chat completions, models, embeddings: "`/v1/embeddings`: OpenAI's shape", for providers of OpenAI's protocol and of Gemini's.
import { beforeEach, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { formatUsd } from '../../src/domain/money.ts'
import { boundTexts } from '../../src/protocols/input-bound.ts'
import { MODEL, PROVIDER, PROVIDER_KEYS } from '../support/catalogue.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { RESET, refusal, type Script, whole } from '../support/upstream.ts'

/** Models by OpenAI's protocol, by Gemini's, and by either. USD 0.02 per million tokens. */
const OPENAI = 'embed-openai'
const GEMINI = 'embed-gemini'
const EITHER = 'embed-either'
const RETIRED = 'embed-retired'
const STRICT = 'embed-strict'
/** The providers' own name for each. */
const UPSTREAM_MODEL = 'upstream-embedding'
const TOKEN_NANOS = 20

const embeddingModels = (url: string) => `
${providerSection('speaks-openai', 'openai', `${url}/v1`)}
${model(OPENAI, 'speaks-openai')}
${model(GEMINI, PROVIDER)}
${model(EITHER, PROVIDER, 'speaks-openai')}
${model(RETIRED, PROVIDER)}retired = true
${model(STRICT, 'speaks-openai', PROVIDER)}unknown_fields = "refuse"
`

/** A model with a route to each of these providers, in their order. */
function model(id: string, ...providers: readonly string[]): string {
  const routes = Object.fromEntries(providers.map((provider) => [provider, UPSTREAM_MODEL]))
  return modelSection(id, routes, { kind: 'embedding', price: 'input = 0.02' })
}

const { gateway, upstream, key, call, upstreamBody, lastCall, counts, expectCounts } = await fileScene({
  more: embeddingModels,
})
const sdk = new OpenAI({ apiKey: key, baseURL: new URL('/v1', gateway.url).href, maxRetries: 0 })
beforeEach(() => {
  upstream.requests.length = 0
})

const base64 = (...values: number[]) => Buffer.from(new Float32Array(values).buffer).toString('base64')
/** OpenAI's answer; the vectors in base64, as its SDK requests them. */
const openaiAnswer = (
  vectors: number[][],
  usage: object | undefined = { prompt_tokens: 7, total_tokens: 7 },
) => ({
  object: 'list',
  data: vectors.map((values, index) => ({ object: 'embedding', index, embedding: base64(...values) })),
  model: UPSTREAM_MODEL,
  ...(usage ? { usage } : {}),
})
const geminiAnswer = (vectors: number[][], usageMetadata?: object) => ({
  embeddings: vectors.map((values) => ({ values })),
  ...(usageMetadata ? { usageMetadata } : {}),
})
const PATH = '/v1/embeddings'
const post = (body: object | string) => call(PATH, body)

describe("to a provider of OpenAI's protocol", () => {
  test.each<[name: string, input: OpenAI.EmbeddingCreateParams['input'], count: number]>([
    ['a text', 'Tides rise.', 1],
    ['texts', ['Tides rise.', 'And fall.'], 2],
    ['tokens', [1, 2, 3], 1],
    ['lists of tokens', [[1, 2], [3]], 2],
  ])(
    '%s: the body is passed on with the model renamed, and the SDK reads the vectors',
    async (_name, input, count) => {
      const vectors = Array.from({ length: count }, (_, at) => [at, 0.5, -0.25])
      upstream.answer(whole(openaiAnswer(vectors)))
      const answer = await sdk.embeddings.create({ model: OPENAI, input, dimensions: 3, user: 'someone' })
      expect(answer.data.map(({ embedding }) => [...embedding])).toEqual(vectors)
      expect(upstream.last().path).toBe('/v1/embeddings')
      expect(upstream.last().headers.authorization).toBe(`Bearer ${PROVIDER_KEYS[0]}`)
      expect(upstreamBody()).toEqual({
        model: UPSTREAM_MODEL,
        input,
        dimensions: 3,
        user: 'someone',
        encoding_format: 'base64',
      })
      expect(await lastCall()).toMatchObject({
        surface: 'embeddings',
        model: OPENAI,
        outcome: 'completed',
        estimated: 0,
        input_tokens: 7,
        output_tokens: 0,
        cost_nanos: 7 * TOKEN_NANOS,
      })
    },
  )

  test.each([
    ['service_tier', { service_tier: 'priority' }],
    ['provider', { provider: { order: ['dear'] } }],
    ['models', { models: ['dear'] }],
  ])('%s is billed beyond tokens: 400, and nothing is held, sent or recorded', async (field, more) => {
    const before = counts()
    const response = await post({ model: OPENAI, input: 'Tides', ...more })
    const { error } = (await response.json()) as { error: { param: string } }
    expect([response.status, error.param]).toEqual([400, field])
    await expectCounts(before)
  })

  test('a model may refuse unknown fields', async () => {
    const before = counts()
    const response = await post({ model: STRICT, input: 'Tides', task: 'search' })
    const { error } = (await response.json()) as { error: { param: string } }
    expect([response.status, error.param]).toEqual([400, 'task'])
    await expectCounts(before)
    upstream.answer(whole(openaiAnswer([[1]])))
    const known = { input: 'Tides', dimensions: 1, encoding_format: 'float', user: 'someone' }
    expect((await post({ model: STRICT, ...known })).status).toBe(200)
  })

  test('a field that comes twice is refused, whichever value a reader takes', async () => {
    const twice = `{"service_tier":"priority","service_tier":"auto","model":"${OPENAI}","input":"Tides"}`
    const response = await post(twice)
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('service_tier')
  })

  test('the bytes of the answer are the provider’s, unknown fields included', async () => {
    const text = ` {"object":"list","data":[{"embedding":[1.50,2],"index":0}],"more":1e400,"usage":{"total_tokens":3}}\n`
    upstream.answer(whole(text))
    const response = await post({ model: OPENAI, input: 'Tides', encoding_format: 'float', task: 'search' })
    expect(await response.text()).toBe(text)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(upstreamBody()).toMatchObject({ task: 'search', encoding_format: 'float' })
    const request = `{ "input":"Tides", "big":9007199254740993, "model" : "${OPENAI}","dimensions":1e1 }`
    await (await post(request)).text()
    expect(upstream.last().body.toString()).toBe(request.replace(OPENAI, UPSTREAM_MODEL))
    expect(await lastCall()).toMatchObject({ input_tokens: 3, cost_nanos: 3 * TOKEN_NANOS, estimated: 0 })
  })

  test.each<[name: string, usage: object | undefined, tokens: number, estimated: number]>([
    ['without a usage it is estimated, and marked', undefined, 4, 1],
    ['with an empty usage, too', {}, 4, 1],
    ['with an impossible usage, too', { prompt_tokens: Number.MAX_SAFE_INTEGER }, 4, 1],
    ['a reported zero costs nothing', { prompt_tokens: 0, total_tokens: 0 }, 0, 0],
    ['under the name of responses', { input_tokens: 7, total_tokens: 7 }, 7, 0],
  ])('%s', async (_name, usage, tokens, estimated) => {
    upstream.answer(whole({ ...openaiAnswer([[1]]), usage }))
    await (await post({ model: OPENAI, input: 'sixteen letters.' })).text()
    expect(await lastCall()).toMatchObject({
      input_tokens: tokens,
      estimated,
      cost_nanos: tokens * TOKEN_NANOS,
    })
  })

  test('tokens are counted exactly where the provider does not report a usage', async () => {
    upstream.answer(whole({ ...openaiAnswer([[1], [2]]), usage: null }))
    await (await post({ model: OPENAI, input: [[1, 2, 3], [4]] })).text()
    expect(await lastCall()).toMatchObject({ input_tokens: 4, estimated: 1 })
  })
})

describe('to Gemini', () => {
  test('texts become a batch, vectors come back in order, base64 or not', async () => {
    const vectors = [
      [0.6, 0.8],
      [1, 0],
    ]
    for (const encoding_format of [undefined, 'float', 'base64'] as const) {
      upstream.answer(whole(geminiAnswer(vectors, { promptTokenCount: 9 })))
      const answer = await sdk.embeddings.create({
        model: GEMINI,
        input: ['Tides rise.', 'And fall.'],
        ...(encoding_format ? { encoding_format } : {}),
      })
      expect(upstream.last().path).toBe('/v1beta/models/upstream-embedding:batchEmbedContents')
      expect(upstream.last().headers['x-goog-api-key']).toBe(PROVIDER_KEYS[0])
      expect(upstreamBody()).toEqual({
        requests: ['Tides rise.', 'And fall.'].map((text) => ({
          model: `models/${UPSTREAM_MODEL}`,
          content: { parts: [{ text }] },
        })),
      })
      expect(answer).toMatchObject({
        object: 'list',
        model: GEMINI,
        usage: { prompt_tokens: 9, total_tokens: 9 },
      })
      expect(answer.data.map(({ index, object }) => [index, object])).toEqual([
        [0, 'embedding'],
        [1, 'embedding'],
      ])
      const found: unknown[] = answer.data.map(({ embedding }) => embedding)
      if (encoding_format === 'base64') expect(found).toEqual(vectors.map((vector) => base64(...vector)))
      else if (encoding_format === 'float') expect(found).toEqual(vectors)
      else expect(answer.data[0]?.embedding[1]).toBeCloseTo(0.8, 6)
    }
    expect(await lastCall()).toMatchObject({ input_tokens: 9, estimated: 0, cost_nanos: 9 * TOKEN_NANOS })
  })

  test('dimensions are passed on, and shortened vectors are scaled to unit length', async () => {
    upstream.answer(whole(geminiAnswer([[3, 4]])))
    const answer = await sdk.embeddings.create({
      model: GEMINI,
      input: 'Tides rise.',
      dimensions: 2,
      encoding_format: 'float',
    })
    expect(upstreamBody()).toMatchObject({ requests: [{ outputDimensionality: 2 }] })
    expect(answer.data[0]?.embedding).toEqual([0.6, 0.8])
  })

  test('the answer shows the usage that was billed, estimated where none is reported', async () => {
    upstream.answer(whole(geminiAnswer([[1, 0]])))
    const answer = await sdk.embeddings.create({ model: GEMINI, input: 'sixteen letters.' })
    expect(answer.usage).toEqual({ prompt_tokens: 4, total_tokens: 4 })
    expect(await lastCall()).toMatchObject({ input_tokens: 4, estimated: 1, cost_nanos: 4 * TOKEN_NANOS })
  })

  test.each<[input: OpenAI.EmbeddingCreateParams['input']]>([[[1, 2, 3]], [[[1], [2]]]])(
    'tokens %j are refused with the name of the field, before anything is held',
    async (input) => {
      const before = await gateway.atRest()
      const failure = await sdk.embeddings.create({ model: GEMINI, input }).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(OpenAI.BadRequestError)
      expect(failure).toMatchObject({ param: 'input' })
      expect(upstream.requests).toEqual([])
      expect(await gateway.atRest()).toEqual(before)
    },
  )

  test('a later route that accepts tokens gets them, and the first has no cooldown', async () => {
    upstream.answer(whole(openaiAnswer([[1, 2]])))
    await sdk.embeddings.create({ model: EITHER, input: [1, 2, 3] })
    expect(upstream.requests.map(({ path }) => path)).toEqual(['/v1/embeddings'])
    upstream.answer(whole(geminiAnswer([[1, 2]])))
    await sdk.embeddings.create({ model: EITHER, input: 'Tides' })
    expect(upstream.last().path).toContain(':batchEmbedContents')
  })
})

describe('refusals before any upstream request leave no trace', () => {
  const refused = async (body: object | string, status: number, error: object) => {
    const before = await gateway.atRest()
    const response = await post(body)
    expect([response.status, await response.json()]).toMatchObject([status, { error }])
    expect(upstream.requests).toEqual([])
    expect(await gateway.atRest()).toEqual(before)
  }

  test.each<[name: string, body: object, param: string]>([
    ['no model', { input: 'a' }, 'model'],
    ['a model that is a number', { model: 7, input: 'a' }, 'model'],
    ['no input', { model: OPENAI }, 'input'],
    ['null', { model: OPENAI, input: null }, 'input'],
    ['an empty text', { model: OPENAI, input: '' }, 'input'],
    ['an empty list', { model: OPENAI, input: [] }, 'input'],
    ['a number', { model: OPENAI, input: 7 }, 'input'],
    ['an object', { model: OPENAI, input: {} }, 'input'],
    ['a list of objects', { model: OPENAI, input: [{}] }, 'input[0]'],
    ['a list of null', { model: OPENAI, input: [null] }, 'input[0]'],
    ['an empty text among texts', { model: OPENAI, input: ['a', ''] }, 'input[1]'],
    ['a token among texts', { model: OPENAI, input: ['a', 1] }, 'input[1]'],
    ['a text among tokens', { model: OPENAI, input: [1, 'a'] }, 'input[1]'],
    ['a fraction of a token', { model: OPENAI, input: [1.5] }, 'input[0]'],
    ['a negative token', { model: OPENAI, input: [1, -1] }, 'input[1]'],
    ['an empty list of tokens', { model: OPENAI, input: [[1], []] }, 'input[1]'],
    ['a text among lists of tokens', { model: OPENAI, input: [[1], 'a'] }, 'input[1]'],
    ['a text in a list of tokens', { model: OPENAI, input: [[1], [2, 'a']] }, 'input[1][1]'],
    ['2,049 texts', { model: OPENAI, input: Array.from({ length: 2_049 }, () => 'a') }, 'input'],
    ['no dimensions', { model: OPENAI, input: 'a', dimensions: 0 }, 'dimensions'],
    ['a fraction of a dimension', { model: OPENAI, input: 'a', dimensions: 1.5 }, 'dimensions'],
    ['dimensions in words', { model: OPENAI, input: 'a', dimensions: 'many' }, 'dimensions'],
    ['another encoding', { model: OPENAI, input: 'a', encoding_format: 'hex' }, 'encoding_format'],
    [
      'an encoding that names a property of objects',
      { model: OPENAI, input: 'a', encoding_format: 'constructor' },
      'encoding_format',
    ],
    ['a user that is a number', { model: OPENAI, input: 'a', user: 7 }, 'user'],
  ])('400: %s', (_name, body, param) => refused(body, 400, { type: 'invalid_request_error', param }))

  test.each(['', '{', '[]', 'null', '"text"'])('400: the body %s', (body) =>
    refused(body, 400, { type: 'invalid_request_error' }),
  )

  test.each([MODEL, 'no-such-model', RETIRED])('404: %s cannot embed', (model) =>
    refused({ model, input: 'a' }, 404, { code: 'model_not_found' }),
  )

  test('413: a body over 10 MB', () =>
    refused({ model: OPENAI, input: 'x'.repeat(10 * 1024 * 1024) }, 413, { code: 'request_too_large' }))

  test('401, 402 and 403', async () => {
    const text_body = { model: OPENAI, input: 'word '.repeat(800) }
    const held_nanos = Math.ceil(boundTexts(text_body, 1)) * TOKEN_NANOS
    expect(held_nanos).toBeWithin(1_000 * TOKEN_NANOS, 1_100 * TOKEN_NANOS)
    const codeFor = async (text: string | undefined, body: object = text_body) => {
      const response = await call(PATH, body, { key: text })
      return [response.status, ((await response.json()) as { error: { code: string } }).error.code]
    }
    expect(await codeFor(undefined)).toEqual([401, 'invalid_api_key'])
    expect(await codeFor(await gateway.caller('0'))).toEqual([402, 'insufficient_balance'])
    expect(await codeFor(await gateway.caller(formatUsd(held_nanos - 1)))).toEqual([
      402,
      'insufficient_balance',
    ])
    expect(await codeFor(await gateway.caller('1', { models: ['test-*'] }))).toEqual([
      403,
      'MODEL_ACCESS_DENIED',
    ])
    expect(upstream.requests).toEqual([])
    upstream.answer(whole(openaiAnswer([[1]], { prompt_tokens: 1_000 })))
    const exact = await gateway.caller(formatUsd(held_nanos))
    const response = await call(PATH, text_body, { key: exact })
    expect(response.status).toBe(200)
    await gateway.rest()
  })

  test('an embedding model cannot be called through chat completions', async () => {
    const messages = [{ role: 'user', content: 'a' }]
    const response = await call('/v1/chat/completions', { model: OPENAI, messages })
    expect(response.status).toBe(404)
    await response.text()
  })
})

test('Idempotency-Key: a repeated request is answered again, and charged once', async () => {
  upstream.answer(whole(geminiAnswer([[1, 0]], { promptTokenCount: 3 })))
  const before = (await gateway.atRest()).calls.length
  const headers = { 'idempotency-key': 'the-same' }
  const send = async () => (await call(PATH, { model: GEMINI, input: 'a' }, { headers })).text()
  expect(await send()).toBe(await send())
  expect(upstream.requests).toHaveLength(1)
  expect((await gateway.atRest()).calls).toHaveLength(before + 1)
})

describe('failures of the provider cost nothing', () => {
  test.each<[name: string, model: string, script: Script, status: number]>([
    ['a server error', OPENAI, refusal(500, {}), 502],
    ['a connection that is reset', GEMINI, RESET, 502],
    ['429', OPENAI, refusal(429, { error: { message: 'slow down' } }), 429],
    ['the key refused', GEMINI, refusal(403, { error: { message: 'no' } }), 502],
    ['the request refused', OPENAI, refusal(400, { error: { message: 'too long' } }), 400],
    ['HTML', OPENAI, whole('<html>'), 502],
    ['an empty answer', GEMINI, whole(''), 502],
    ['null', OPENAI, whole('null'), 502],
    ['a list', GEMINI, whole('[]'), 502],
    ['no vectors', OPENAI, whole({ object: 'list', data: [] }), 502],
    ['too few vectors', OPENAI, whole(openaiAnswer([[1]])), 502],
    ['too many vectors', GEMINI, whole(geminiAnswer([[1], [2], [3]])), 502],
    ['empty vectors', GEMINI, whole(geminiAnswer([[], []])), 502],
    ['an error with status 200', OPENAI, whole({ error: { message: 'no' } }), 502],
  ])('%s', async (_name, model, script, status) => {
    upstream.answer(script)
    const response = await post({ model, input: ['a', 'b'] })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringMatching(/\S/) } })
    expect(await lastCall()).toMatchObject({ outcome: 'failed', status, cost_nanos: 0 })
  })

  test('the next route serves instead', async () => {
    upstream.answer(({ path }) =>
      path.includes('batchEmbed') ? refusal(503, {}) : whole(openaiAnswer([[1, 2]], { prompt_tokens: 2 })),
    )
    expect((await post({ model: EITHER, input: 'a' })).status).toBe(200)
    expect(await lastCall()).toMatchObject({ provider: 'speaks-openai', cost_nanos: 2 * TOKEN_NANOS })
  })
})
