// Tests of simulated embeddings in both protocols: vectors of unit length, determined by the text and closer if texts share words.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { embed } from './embedding.ts'
import { createProvider } from './provider.ts'

type Body = Record<string, unknown>
const GEMINI = '/v1beta/models/embedding:batchEmbedContents'
const post = (path: string, body: unknown) =>
  createProvider().fetch(
    new Request(`http://provider${path}`, { method: 'POST', body: JSON.stringify(body) }),
  )
const openai = async (input: unknown, more: Body = {}) => {
  const response = await post('/v1/embeddings', { model: 'embedding', input, ...more })
  return (await response.json()) as { data: { embedding: number[] }[]; usage?: { prompt_tokens: number } }
}
const requestOf = (text: string, more: Body = {}) => ({
  model: 'models/embedding',
  content: { parts: [{ text }] },
  ...more,
})
const gemini = async (...requests: Body[]) => {
  const response = await post(GEMINI, { requests })
  return (await response.json()) as {
    embeddings: { values: number[] }[]
    usageMetadata?: { promptTokenCount: number }
  }
}
const dot = (one: readonly number[], other: readonly number[]) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0)

describe('vectors', () => {
  test('have unit length and follow from the text (property)', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 600 }), (text, dimensions) => {
        const vector = embed(text, dimensions)
        expect(vector).toHaveLength(dimensions)
        expect(Math.hypot(...vector)).toBeCloseTo(1, 9)
        expect(embed(text, dimensions)).toEqual(vector)
      }),
    )
  })

  test('are closer if words are shared, and differ for different texts', () => {
    const [tides, more, other] = [
      'the moon raises the tides',
      'tides and the moon',
      'a recipe for onion soup',
    ].map((text) => embed(text, 1_536))
    expect(dot(tides ?? [], more ?? [])).toBeGreaterThan(dot(tides ?? [], other ?? []) + 0.3)
    expect(embed('tides', 256)).not.toEqual(embed('Tides', 256))
  })
})

describe("OpenAI's shape", () => {
  test.each<[name: string, input: unknown, vectors: number, tokens: number]>([
    ['a text', 'tides', 1, 1],
    ['texts', ['tides', 'winds'], 2, 2],
    ['tokens', [1, 2, 3], 1, 3],
    ['lists of tokens', [[1, 2], [3]], 2, 3],
  ])('%s', async (_name, input, vectors, tokens) => {
    const { data, usage } = await openai(input)
    expect(data.map(({ embedding }) => embedding.length)).toEqual(
      Array.from({ length: vectors }, () => 1_536),
    )
    expect<unknown>(usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens })
  })

  test('base64 has the same values as floats', async () => {
    const [floats, text] = [
      await openai('tides', { dimensions: 16 }),
      await openai('tides', { dimensions: 16, encoding_format: 'base64' }),
    ]
    const bytes = Buffer.from(String(text.data[0]?.embedding), 'base64')
    const decoded = Array.from({ length: 16 }, (_, at) => bytes.readFloatLE(at * 4))
    for (const [at, value] of decoded.entries())
      expect(value).toBeCloseTo(floats.data[0]?.embedding[at] ?? 9, 6)
  })

  test.each<[name: string, body: Body]>([
    ['no input', {}],
    ['an empty text', { input: '' }],
    ['an empty list', { input: [] }],
    ['an empty list of tokens', { input: [[]] }],
    ['mixed', { input: ['a', 1] }],
    ['2,049 texts', { input: Array(2_049).fill('a') }],
    ['too many dimensions', { input: 'a', dimensions: 1_537 }],
    ['zero dimensions', { input: 'a', dimensions: 0 }],
    ['another encoding', { input: 'a', encoding_format: 'hex' }],
    ['no model', { input: 'a', model: '' }],
  ])('400: %s', async (_name, body) => {
    expect((await post('/embeddings', { model: 'embedding', ...body })).status).toBe(400)
  })
})

describe("Gemini's shape", () => {
  test('a batch, its vectors in order, and its usage', async () => {
    const { embeddings, usageMetadata } = await gemini(requestOf('tides'), requestOf('winds'))
    expect(embeddings.map(({ values }) => values)).toEqual([embed('tides', 3_072), embed('winds', 3_072)])
    expect(usageMetadata?.promptTokenCount).toBe(2)
  })

  test('fewer dimensions shorten the vector below unit length, as in the API', async () => {
    const { embeddings } = await gemini(
      requestOf('the moon raises the tides', { outputDimensionality: 1_500 }),
    )
    expect(embeddings[0]?.values).toHaveLength(1_500)
    expect(Math.hypot(...(embeddings[0]?.values ?? []))).toBeLessThan(0.999)
  })

  test.each<[name: string, body: Body]>([
    ['no requests', {}],
    ['empty requests', { requests: [] }],
    ['101 requests', { requests: Array(101).fill(requestOf('a')) }],
    ['another model', { requests: [{ ...requestOf('a'), model: 'models/other' }] }],
    ['no content', { requests: [{ model: 'models/embedding' }] }],
    ['an empty text', { requests: [requestOf('')] }],
    ['too many dimensions', { requests: [requestOf('a', { outputDimensionality: 3_073 })] }],
  ])('400: %s', async (_name, body) => {
    expect((await post(GEMINI, body)).status).toBe(400)
  })
})

describe('behaviours apply to embeddings too', () => {
  test.each([
    ['embedding-fail-429', 429],
    ['embedding-fail-503', 503],
    ['embedding-html-500', 500],
    ['embedding-fail-', 404],
  ])('%s', async (model, status) => {
    expect((await post('/v1/embeddings', { model, input: 'a' })).status).toBe(status)
  })

  test('nousage and zerousage', async () => {
    expect((await openai('a', { model: 'embedding-nousage' })).usage).toBeUndefined()
    expect((await openai('a', { model: 'embedding-zerousage' })).usage?.prompt_tokens).toBe(0)
  })
})

describe('counting', () => {
  const count = async (body: unknown) => {
    const response = await post('/v1beta/models/flash:countTokens', body)
    return { status: response.status, body: (await response.json()) as { totalTokens: number } }
  }
  const contents = (text: string) => ({ contents: [{ role: 'user', parts: [{ text }] }] })

  test('counts the tokens of a prompt, and more for a longer one', async () => {
    const short = await count(contents('One word.'))
    const long = await count(contents('One word. '.repeat(50)))
    expect([short.status, long.status]).toEqual([200, 200])
    expect(short.body.totalTokens).toBeGreaterThan(0)
    expect(long.body.totalTokens).toBeGreaterThan(short.body.totalTokens * 20)
  })

  test('refuses what generateContent refuses', async () => {
    expect((await count({ contents: [] })).status).toBe(400)
  })
})
