// The promise: POST /v1/responses/input_tokens counts a request's tokens, free of charge, for every text model.
import { expect, test } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { MODELS, PROTOCOLS } from '../support/three-providers.ts'
import { QUESTION, responsesScene } from './support.ts'

const { call, counts, expectCounts, upstream } = await responsesScene()
const count = (body: JsonObject) => call('/v1/responses/input_tokens', body)
const counted = async (body: JsonObject) =>
  (await (await count(body)).json()) as {
    object: string
    input_tokens: number
  }

test.each(PROTOCOLS)(
  'of a %s model: a number that grows with the request, and no charge',
  async (provider) => {
    const before = counts()
    const model = MODELS[provider]
    upstream.answer(() => {
      throw new Error('no provider is asked')
    })
    const short = await counted({ model, input: QUESTION })
    const items = [{ role: 'user', content: QUESTION.repeat(10) }]
    const long = await counted({ model, instructions: 'Be brief.', input: items })
    expect(short).toEqual({ object: 'response.input_tokens', input_tokens: expect.any(Number) })
    expect(short.input_tokens).toBeGreaterThan(0)
    expect(long.input_tokens).toBeGreaterThan(5 * short.input_tokens)
    await expectCounts(before)
  },
)

test.each<[string, JsonObject, number]>([
  ['a model that does not exist', { model: 'none', input: QUESTION }, 404],
  ['a retired model', { model: 'retired', input: QUESTION }, 404],
  ['no model', { input: QUESTION }, 400],
  ['no input', { model: MODELS.openai }, 400],
  ['an empty input', { model: MODELS.openai, input: [] }, 400],
  ['an input of a number', { model: MODELS.openai, input: 7 }, 400],
  ['a conversation at the provider', { model: MODELS.openai, input: QUESTION, conversation: 'conv_1' }, 400],
  ['a prompt at the provider', { model: MODELS.openai, input: QUESTION, prompt: { id: 'pmpt_1' } }, 400],
  ['a continued response', { model: MODELS.openai, input: QUESTION, previous_response_id: 'resp_1' }, 400],
])('refused: %s', async (_, body, status) => {
  const before = counts()
  expect((await count(body)).status).toBe(status)
  await expectCounts(before)
})

test('refused without a key', async () => {
  expect(
    (await call('/v1/responses/input_tokens', { model: MODELS.openai, input: QUESTION }, { key: '' })).status,
  ).toBe(401)
})
