// `[native] extra_methods = true`: listing models, counting tokens and embedding by the native API's own methods.
import { describe, expect, test } from 'bun:test'
import { GoogleGenAI } from '@google/genai'
import { MODEL, PICTURE, PROVIDER, PROVIDER_KEYS, RETIRED, THINKING, TIERED } from '../support/catalogue.ts'
import { ask, nativeError, refusalOf } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { refusal, whole } from '../support/upstream.ts'

const EMBED = 'embed:native'
const EMBED_OPENAI = 'embed-openai'
const CLAUDE = 'test-claude'
/** USD 0.02 per million tokens. */
const TOKEN_NANOS = 20

const { gateway, upstream, key, call, upstreamBody, lastCall, counts, expectCounts } = await fileScene({
  more: (url) => `
[native]
extra_methods = true
${providerSection('speaks-openai', 'openai', `${url}/v1`)}
${providerSection('speaks-anthropic', 'anthropic', url)}
${modelSection(EMBED, { [PROVIDER]: 'up-embed' }, { kind: 'embedding', price: 'input = 0.02' })}
${modelSection(EMBED_OPENAI, { 'speaks-openai': 'up-openai' }, { kind: 'embedding', price: 'input = 0.02', more: 'unknown_fields = "refuse"' })}
${modelSection(CLAUDE, { 'speaks-anthropic': 'claude' }, { more: `context = 1000\nmax_output_tokens = 500` })}
`,
})
const sdkOf = (apiVersion?: string) =>
  new GoogleGenAI({
    apiKey: key,
    ...(apiVersion ? { apiVersion } : {}),
    httpOptions: { baseUrl: gateway.url.origin },
  })
const ALL = [MODEL, TIERED, THINKING, PICTURE, EMBED, EMBED_OPENAI, CLAUDE]
const VERSIONS = ['v1', 'v1beta'] as const

/** Asserts a refusal that leaves no trace. */
async function expectRefused(
  path: string,
  body: object | undefined,
  status: number,
  code: string,
  words = /\S/,
) {
  const before = counts()
  const refused = await refusalOf(await call(path, body, { form: 'x-goog-api-key' }))
  expect([refused.status, refused.body]).toEqual([status, nativeError(status, code)])
  expect(refused.message).toMatch(words)
  await expectCounts(before)
}

describe.each(VERSIONS)('models, in %s', (version) => {
  test.each([undefined, 1, 2, 100])(
    'the SDK lists the models that the key may call, %p a page',
    async (pageSize) => {
      const pager = await sdkOf(version).models.list({ config: pageSize ? { pageSize } : {} })
      const names: (string | undefined)[] = []
      for await (const { name } of pager) names.push(name)
      expect(names).toEqual(ALL.map((id) => `models/${id}`))
      expect(names).not.toContain(`models/${RETIRED}`)
    },
  )

  test('the SDK gets one model, with its limits and methods', async () => {
    expect(await sdkOf(version).models.get({ model: CLAUDE })).toMatchObject({
      name: `models/${CLAUDE}`,
      version: '001',
      displayName: CLAUDE,
      inputTokenLimit: 1000,
      outputTokenLimit: 500,
      supportedActions: ['generateContent', 'streamGenerateContent', 'countTokens'],
    })
    expect((await sdkOf(version).models.get({ model: EMBED })).supportedActions).toEqual([
      'embedContent',
      'batchEmbedContents',
    ])
  })

  test.each(['none', RETIRED, 'constructor', `${MODEL}:countTokens`])('%s is not found', async (id) => {
    await expectRefused(`/${version}/models/${id}`, undefined, 404, 'NOT_FOUND', /\/models lists/)
  })

  test.each(['pageSize=x', 'pageSize=-1', 'pageToken=none'])('?%s is refused', async (query) => {
    await expectRefused(`/${version}/models?${query}`, undefined, 400, 'INVALID_ARGUMENT', /^page/)
  })

  test('a key for some models lists only those', async () => {
    const bound = await gateway.caller('1', { models: ['embed*'] })
    const response = await call(`/${version}/models`, undefined, { key: bound, form: 'x-goog-api-key' })
    const { models } = (await response.json()) as { models: { name: string }[] }
    expect(models.map(({ name }) => name)).toEqual([`models/${EMBED}`, `models/${EMBED_OPENAI}`])
  })
})

test("OpenAI's and Anthropic's clients find nothing native in /v1/models", async () => {
  const list = (await (await call('/v1/models')).json()) as object
  expect(list).not.toHaveProperty('models')
  expect(await (await call(`/v1/models/${MODEL}`)).json()).not.toHaveProperty('name')
})

const NOT_FOUND = [404, 'NOT_FOUND'] as const
const INVALID = [400, 'INVALID_ARGUMENT'] as const

describe('countTokens', () => {
  test.each(VERSIONS)('%s: by the provider, free of charge', async (apiVersion) => {
    upstream.answer(whole({ totalTokens: 31, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 31 }] }))
    const before = gateway.rows()
    const counted = await sdkOf(apiVersion).models.countTokens({ model: MODEL, contents: 'How many?' })
    expect(counted.totalTokens).toBe(31)
    expect(upstream.last().path).toBe('/v1beta/models/upstream-model-1:countTokens')
    expect(upstreamBody()).toEqual({ contents: [{ role: 'user', parts: [{ text: 'How many?' }] }] })
    expect(upstream.last().headers['x-goog-api-key']).toBe(PROVIDER_KEYS[0])
    expect(await gateway.atRest()).toEqual(before)
  })

  test('by estimate where the provider has no such method', async () => {
    const seen = upstream.requests.length
    const counted = await sdkOf().models.countTokens({
      model: CLAUDE,
      contents: 'How many tokens are these?',
    })
    expect(counted.totalTokens).toBeGreaterThan(3)
    expect(counted.totalTokens).toBeLessThan(20)
    expect(upstream.requests).toHaveLength(seen)
  })

  test('of a whole request: by estimate, its system instruction included', async () => {
    const seen = upstream.requests.length
    const path = `/v1beta/models/${MODEL}:countTokens`
    const total = async (body: object) =>
      ((await (await call(path, body)).json()) as { totalTokens: number }).totalTokens
    const short = await total({ generateContentRequest: { model: `models/${MODEL}`, ...ask('Hello') } })
    const long = await total({
      generateContentRequest: {
        ...ask('Hello'),
        systemInstruction: { parts: [{ text: 'word '.repeat(200) }] },
      },
    })
    expect(long - short).toBeGreaterThan(100)
    expect(upstream.requests).toHaveLength(seen)
  })

  test('an account without money may count', async () => {
    upstream.answer(whole({ totalTokens: 1 }))
    const poor = await gateway.caller('0')
    const response = await call(`/v1beta/models/${MODEL}:countTokens`, ask('word '.repeat(30_000)), {
      key: poor,
    })
    expect([response.status, await response.json()]).toEqual([200, { totalTokens: 1 }])
  })

  test.each<[string, string, object, number, string]>([
    ['no such model', 'none', ask(), 404, 'NOT_FOUND'],
    ['an embedding model', EMBED, ask(), 404, 'NOT_FOUND'],
    ['no contents', MODEL, {}, 400, 'INVALID_ARGUMENT'],
    [
      'a file that only the provider has',
      MODEL,
      {
        contents: [
          { parts: [{ fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/a' } }] },
        ],
      },
      400,
      'INVALID_ARGUMENT',
    ],
  ])('%s', (_, model, body, status, code) =>
    expectRefused(`/v1beta/models/${model}:countTokens`, body, status, code),
  )

  test("a provider's refusal reaches the caller", async () => {
    upstream.answer(refusal(400, { error: { code: 400, message: 'too odd', status: 'INVALID_ARGUMENT' } }))
    await refusalOf(await call(`/v1beta/models/${MODEL}:countTokens`, ask())).then((refused) =>
      expect(refused).toMatchObject({ status: 400, message: expect.stringContaining('too odd') }),
    )
    await gateway.rest()
  })
})

describe('embeddings', () => {
  const vectors = (...values: number[][]) => ({ embeddings: values.map((one) => ({ values: one })) })

  test.each(VERSIONS)('%s: the SDK embeds several texts, with task and title', async (apiVersion) => {
    upstream.answer(whole({ ...vectors([3, 4], [0.5, 0.25]), usageMetadata: { promptTokenCount: 9 } }))
    const answer = await sdkOf(apiVersion).models.embedContent({
      model: EMBED,
      contents: ['One.', 'Two.'],
      config: { taskType: 'RETRIEVAL_DOCUMENT', title: 'Numbers', outputDimensionality: 2 },
    })
    // As the provider sent them: a shortened one is not of unit length.
    expect(answer.embeddings?.map(({ values }) => values)).toEqual([
      [3, 4],
      [0.5, 0.25],
    ])
    expect(upstream.last().path).toBe('/v1beta/models/up-embed:batchEmbedContents')
    const about = { taskType: 'RETRIEVAL_DOCUMENT', title: 'Numbers', outputDimensionality: 2 }
    expect(upstreamBody()).toEqual({
      requests: ['One.', 'Two.'].map((text) => ({
        ...about,
        model: 'models/up-embed',
        content: { parts: [{ text }] },
      })),
    })
    expect(await lastCall()).toMatchObject({
      surface: 'native',
      model: EMBED,
      outcome: 'completed',
      estimated: 0,
      input_tokens: 9,
      cost_nanos: 9 * TOKEN_NANOS,
    })
  })

  test('embedContent: one vector', async () => {
    upstream.answer(whole({ ...vectors([1, 2]), usageMetadata: { promptTokenCount: 4 } }))
    const response = await call(`/v1beta/models/${EMBED}:embedContent`, {
      model: `models/${EMBED}`,
      content: { parts: [{ text: 'One.' }] },
    })
    expect([response.status, await response.json()]).toEqual([
      200,
      { embedding: { values: [1, 2] }, usageMetadata: { promptTokenCount: 4 } },
    ])
    expect(await lastCall()).toMatchObject({ cost_nanos: 4 * TOKEN_NANOS })
  })

  test("to a provider of OpenAI's protocol, in plain numbers", async () => {
    upstream.answer(
      whole({
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [0.5, -1] }],
        usage: { prompt_tokens: 6, total_tokens: 6 },
      }),
    )
    const answer = await sdkOf().models.embedContent({
      model: EMBED_OPENAI,
      contents: 'One.',
      config: { outputDimensionality: 2, taskType: 'RETRIEVAL_QUERY' },
    })
    expect(answer.embeddings?.[0]?.values).toEqual([0.5, -1])
    expect(upstreamBody()).toEqual({
      model: 'up-openai',
      input: ['One.'],
      dimensions: 2,
      encoding_format: 'float',
    })
    expect(await lastCall()).toMatchObject({ cost_nanos: 6 * TOKEN_NANOS })
  })

  test('usage that is absent is estimated', async () => {
    upstream.answer(whole(vectors([1])))
    await (
      await call(`/v1beta/models/${EMBED}:embedContent`, { content: { parts: [{ text: 'One.' }] } })
    ).text()
    expect(await lastCall()).toMatchObject({ estimated: 1, outcome: 'completed' })
    expect((await lastCall()).cost_nanos).toBeGreaterThan(0)
  })

  const one = { content: { parts: [{ text: 'One.' }] } }
  test.each<[string, string, string, object, number, string, RegExp]>([
    ['no such model', 'none', 'embedContent', one, ...NOT_FOUND, /Model not found/],
    ['a text model', MODEL, 'embedContent', one, ...NOT_FOUND, /for text/],
    ['no content', EMBED, 'embedContent', {}, ...INVALID, /^content/],
    ['no parts', EMBED, 'embedContent', { content: {} }, ...INVALID, /content\.parts/],
    ['an empty text', EMBED, 'embedContent', { content: { parts: [{ text: '' }] } }, ...INVALID, /text/],
    [
      'a picture',
      EMBED,
      'embedContent',
      { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] } },
      ...INVALID,
      /inlineData: cannot be embedded/,
    ],
    ['another model', EMBED, 'embedContent', { ...one, model: 'models/x' }, ...INVALID, /^model/],
    ['no requests', EMBED, 'batchEmbedContents', { requests: [] }, ...INVALID, /requests/],
    ['one request for a batch', EMBED, 'batchEmbedContents', one, ...INVALID, /requests/],
    [
      'another model in a batch',
      EMBED,
      'batchEmbedContents',
      { requests: [one, { ...one, model: 'models/x' }] },
      ...INVALID,
      /requests\[1\]\.model/,
    ],
    [
      'different dimensions, which the provider does not support',
      EMBED_OPENAI,
      'batchEmbedContents',
      { requests: [{ ...one, outputDimensionality: 2 }, one] },
      ...INVALID,
      /same in all requests/,
    ],
    [
      'a negative dimension',
      EMBED,
      'embedContent',
      { ...one, outputDimensionality: -1 },
      ...INVALID,
      /Dimensionality/,
    ],
    [
      'an unknown field, where the model refuses them',
      EMBED_OPENAI,
      'embedContent',
      { ...one, colour: 1 },
      ...INVALID,
      /colour/,
    ],
  ])('%s', (_, model, method, body, status, code, words) =>
    expectRefused(`/v1beta/models/${model}:${method}`, body, status, code, words),
  )

  test('an account without money: 402, and nothing is sent', async () => {
    const before = counts()
    const poor = await gateway.caller('0')
    const response = await call(`/v1beta/models/${EMBED}:embedContent`, one, { key: poor })
    expect(response.status).toBe(402)
    await expectCounts(before)
  })

  test('an answer without vectors: 502, and nothing is charged', async () => {
    upstream.answer(whole({ data: [{ embedding: 'AAAA' }], usage: { prompt_tokens: 1 } }))
    const response = await call(`/v1beta/models/${EMBED_OPENAI}:embedContent`, one)
    expect(response.status).toBe(502)
    expect(await lastCall()).toMatchObject({ cost_nanos: 0 })
  })
})

describe('other methods stay 501', () => {
  test.each([
    ['POST', `/v1beta/models/${MODEL}:predict`],
    ['POST', `/v1beta/models/${MODEL}:batchGenerateContent`],
    ['GET', '/v1beta/files'],
    ['POST', '/v1beta/cachedContents'],
  ])('%s %s', (method, path) => expectRefused(path, method === 'POST' ? {} : undefined, 501, 'UNIMPLEMENTED'))
})
