// Moderations: POST /v1/moderations, passed on to providers of OpenAI's protocol, free or charged by tokens.
import { beforeEach, describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { fileScene } from '../support/scene.ts'
import { UPSTREAM, unitModels } from '../support/unit-models.ts'
import { RESET, refusal, whole } from '../support/upstream.ts'

const { gateway, upstream, key, call, upstreamBody, lastCall, counts, expectCounts } = await fileScene({
  more: unitModels,
})
const sdk = new OpenAI({ apiKey: key, baseURL: new URL('/v1', gateway.url).href, maxRetries: 0 })
beforeEach(() => {
  upstream.requests.length = 0
})

const PATH = '/v1/moderations'
const answer = (more: JsonObject = {}) => ({
  id: 'modr-1',
  model: UPSTREAM,
  results: [{ flagged: false }],
  ...more,
})

test.each<[name: string, input: OpenAI.ModerationCreateParams['input']]>([
  ['a text', 'Tides rise.'],
  ['texts', ['Tides rise.', 'And fall.']],
  [
    'text and an image',
    [
      { type: 'text', text: 'Tides' },
      { type: 'image_url', image_url: { url: 'https://example.com/sea.png' } },
    ],
  ],
])('%s, through the SDK: passed on, free, and answered under the requested name', async (_name, input) => {
  upstream.answer(whole(answer()))
  const judged = await sdk.moderations.create({ model: 'judge', input })
  expect(judged).toMatchObject({ model: 'judge', results: [{ flagged: false }] })
  expect(upstream.last().path).toBe('/v1/moderations')
  expect(JSON.stringify(upstreamBody())).toBe(JSON.stringify({ model: UPSTREAM, input }))
  expect(await lastCall()).toMatchObject({
    surface: 'moderations',
    outcome: 'completed',
    hold_nanos: 0,
    cost_nanos: 0,
  })
})

test('an image in base64 of the URL alphabet is passed on in the standard one', async () => {
  upstream.answer(whole(answer()))
  const image = (url: string) => [{ type: 'image_url', image_url: { url } }]
  await call(PATH, { model: 'judge', input: image('data:image/jpg;base64,-_-_-w') })
  expect(upstreamBody().input).toEqual(image('data:image/jpeg;base64,+/+/+w=='))
})

test('without a model: the first of the catalogue that the key may call', async () => {
  upstream.answer(whole(answer()))
  expect(await sdk.moderations.create({ input: 'x' })).toMatchObject({ model: 'judge' })
  expect(upstreamBody()).toMatchObject({ model: UPSTREAM })
  await gateway.account('limited', { balance_usd: '1' })
  const other = await gateway.key('limited', { models: ['judge-paid'] })
  expect(await (await call(PATH, { input: 'x' }, { key: other })).json()).toMatchObject({
    model: 'judge-paid',
  })
  const none = await gateway.key('limited', { models: ['voice'] })
  expect((await call(PATH, { input: 'x' }, { key: none })).status).toBe(400)
})

test('a dated name of the model passes, and the bytes are the provider’s', async () => {
  const text = ` {"id":"m","model":"judge-2026-01-01","results":[{"score":1.50e-7}]}\n`
  upstream.answer(whole(text))
  expect(await (await call(PATH, { model: 'judge', input: 'x' })).text()).toBe(text)
})

test.each<[name: string, usage: JsonObject | undefined, cost_nanos: number, estimated: number]>([
  ['prompt_tokens', { prompt_tokens: 7, total_tokens: 7 }, 700, 0],
  ['input_tokens', { input_tokens: 8 }, 800, 0],
  ['nothing: four letters to a token', undefined, 400, 1],
  ['an impossible count', { prompt_tokens: 1_000_000 }, 400, 1],
  ['zero', { prompt_tokens: 0 }, 0, 0],
])('a paid model that reports %s', async (_name, usage, cost_nanos, estimated) => {
  upstream.answer(whole(answer(usage ? { usage } : {})))
  await (await call(PATH, { model: 'judge-paid', input: 'sixteen letters.' })).text()
  expect(await lastCall()).toMatchObject({ cost_nanos, estimated })
})

describe('refused before anything is held', () => {
  test.each<[name: string, status: number, param: string | null, body: JsonObject]>([
    ['no input', 400, 'input', { model: 'judge' }],
    ['an empty list', 400, 'input', { model: 'judge', input: [] }],
    ['a number', 400, 'input', { model: 'judge', input: 7 }],
    ['an unknown part', 400, 'input[1]', { model: 'judge', input: ['x', { type: 'audio' }] }],
    ['a part without its text', 400, 'input[0].text', { model: 'judge', input: [{ type: 'text' }] }],
    [
      'a field that is billed beyond units',
      400,
      'service_tier',
      { model: 'judge', input: 'x', service_tier: 'priority' },
    ],
    ['a model that does not exist', 404, null, { model: 'none', input: 'x' }],
    ['a model of another kind', 404, null, { model: 'sorter', input: 'x' }],
  ])('%s', async (_name, status, param, body) => {
    const before = counts()
    const response = await call(PATH, body)
    const { error } = (await response.json()) as { error: { param: string | null } }
    expect([response.status, error.param]).toEqual([status, param])
    await expectCounts(before)
  })
})

test.each([
  ['a failure', refusal(503), 503],
  ['a broken connection', RESET, 502],
  ['no JSON', whole('flagged'), 502],
])('%s of the provider costs nothing', async (_name, script, status) => {
  upstream.answer(script)
  const response = await call(PATH, { model: 'judge-paid', input: 'x' })
  expect(response.status).toBe(status)
  expect(await lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
})
