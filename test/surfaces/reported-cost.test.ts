// Costs that providers report: recorded as the cost of the call, marked as reported, and compared with the cost of its route.
import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { signedIn } from '../support/console-session.ts'
import { readExposition, totalOf } from '../support/exposition.ts'
import { fileScene } from '../support/scene.ts'
import { providerSection } from '../support/sections.ts'
import { events, whole } from '../support/upstream.ts'

const TOKEN = 'the-token-of-the-metrics'
const FIRST = { provider: 'first', model: 'up', cost: '{ input = 1, output = 2 }' }
const LATER = { provider: 'later', model: 'up', order: 1 }

const routeText = ({ provider, model, cost, order = 0 }: typeof FIRST & { order?: number }) =>
  `{ provider = "${provider}", model = "${model}", cost = ${cost}, order = ${order} }`

const { gateway, upstream, call, lastCall, key } = await fileScene({
  catalogue: (url) => `
[server]
[metrics]
token = "${TOKEN}"
${['first', 'later'].map((name) => providerSection(name, 'openai', `${url}/${name}/v1`, 'cooldown_ms = 0')).join('')}
[[models]]
id = "costing"
kind = "text"
price = { input = 2, output = 8 }
routes = [${routeText(FIRST)}, ${routeText({ ...FIRST, ...LATER })}]
[[models]]
id = "free-of-cost"
kind = "text"
price = { input = 2, output = 8 }
routes = [{ provider = "first", model = "up" }]
`,
})

const CHOICE = { index: 0, finish_reason: 'stop' }
const answer = (usage: JsonObject) => ({
  object: 'chat.completion',
  choices: [{ ...CHOICE, message: { role: 'assistant', content: 'words' } }],
  usage,
})
const COUNTS = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
/** 10 tokens at 1,000 nano-dollars, 5 at 2,000. */
const COMPUTED = 20_000

async function costsOf(model = 'costing', stream = false) {
  const body = { model, stream, messages: [{ role: 'user', content: 'Why?' }] }
  await (await call('/v1/chat/completions', body)).text()
  const { reported_cost_nanos, computed_cost_nanos, provider_cost_nanos } = await lastCall()
  return [reported_cost_nanos, computed_cost_nanos, provider_cost_nanos]
}

describe('a reported cost is recorded', () => {
  test.each([
    ['dollars', { cost: 0.00003 }, 30_000],
    ['parts of a nano-dollar, rounded', { cost: 0.0000000014 }, 1],
    ['ticks', { cost_in_usd_ticks: 299_996 }, 30_000],
    [
      'the dollars of each part, and their sum',
      { cost: { input_tokens_cost: 0.00001, total_cost: 0.00003 } },
      30_000,
    ],
    [
      'an own key: the bill of its provider',
      { cost: 0, is_byok: true, cost_details: { upstream_inference_cost: 0.00003 } },
      30_000,
    ],
    [
      'an own key: with the fee beside it',
      { cost: 0.000001, is_byok: true, cost_details: { upstream_inference_cost: 0.00003 } },
      31_000,
    ],
    [
      'no own key: the cost of another provider is part of it',
      { cost: 0.00003, is_byok: false, cost_details: { upstream_inference_cost: 0.00002 } },
      30_000,
    ],
  ])('%s', async (_, cost, nanos) => {
    upstream.answer(whole(answer({ ...COUNTS, ...cost })))
    expect(await costsOf()).toEqual([nanos, COMPUTED, nanos])
    expect(await costsOf('free-of-cost')).toEqual([nanos, null, nanos])
  })

  test('in a stream', async () => {
    const chunk = { choices: [{ ...CHOICE, delta: { content: 'words' } }] }
    upstream.answer(events([chunk, { choices: [], usage: { ...COUNTS, cost: 0.00003 } }, '[DONE]']))
    expect(await costsOf('costing', true)).toEqual([30_000, COMPUTED, 30_000])
  })

  test('zero, where nothing is billed', async () => {
    const counts = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }
    upstream.answer(whole(answer({ ...counts, cost: 0 })))
    expect(await costsOf()).toEqual([0, 0, 0])
  })
})

describe('an impossible cost is ignored: the cost of the route counts', () => {
  test.each<[string, JsonObject]>([
    ['zero for tokens that are billed', { cost: 0 }],
    ['zero at an own key', { cost: 0, is_byok: true, cost_details: { upstream_inference_cost: 0 } }],
    ['an own key without a bill', { cost: 0.1, is_byok: true, cost_details: null }],
    ['a negative cost', { cost: -0.1 }],
    ['more than can be counted', { cost: 1e300 }],
    ['more than any call costs', { cost: 10_000.01 }],
    ['more ticks than any call costs', { cost_in_usd_ticks: 9_007_199_254_740_991 }],
    ['a text', { cost: '0.1' }],
    ['true', { cost: true }],
    ['null', { cost: null }],
    ['parts without a sum', { cost: { input_tokens_cost: 0.1 } }],
    ['a list', { cost: [0.1] }],
    ['half a tick', { cost_in_usd_ticks: 0.5 }],
    ['ticks below zero', { cost_in_usd_ticks: -1 }],
    ['another name', { costs: 0.1, total_cost: 0.1, estimated: 0.1 }],
  ])('%s', async (_, cost) => {
    upstream.answer(whole(answer({ ...COUNTS, ...cost })))
    expect(await costsOf()).toEqual([null, null, COMPUTED])
    expect(await costsOf('free-of-cost')).toEqual([null, null, null])
  })
})

describe('failed attempts', () => {
  const failed = (usage: JsonObject | null) =>
    whole({ error: { message: 'it broke', code: 502 }, ...(usage ? { usage } : {}) })
  const later = whole(answer({ ...COUNTS, cost: 0.00003 }))

  test.each<[string, JsonObject | null, number]>([
    ['as their provider reports it', { ...COUNTS, cost: 0.001 }, 1_000_000],
    ['by the cost of the route', COUNTS, COMPUTED],
    ['zero reported for tokens that are billed: by the cost of the route', { ...COUNTS, cost: 0 }, COMPUTED],
    ['without a usage nothing is billed', null, 0],
    [
      'more cached than read: no cost is known',
      { ...COUNTS, prompt_tokens_details: { cached_tokens: 5_000 } },
      0,
    ],
    ['a negative count: no cost is known', { ...COUNTS, completion_tokens: -1 }, 0],
    ['more than any call has: no cost is known', { ...COUNTS, prompt_tokens: 1e12 }, 0],
    ['more than the model reads: no cost is known', { ...COUNTS, prompt_tokens: 2_000_000_000 }, 0],
    ['a cost that cannot be: by the cost of the route', { ...COUNTS, cost: 9e6 }, COMPUTED],
  ])('are part of the cost: %s', async (_, usage, nanos) => {
    upstream.answer(({ path }) => (path.startsWith('/first') ? failed(usage) : later))
    expect(await costsOf()).toEqual([30_000, COMPUTED, 30_000 + nanos])
    expect(await lastCall()).toMatchObject({ failed_tries: 1, outcome: 'completed' })
  })

  test.each<[string, JsonObject]>([
    ['without choices', { usage: COUNTS }],
    [
      'without a word',
      {
        choices: [{ ...CHOICE, message: { role: 'assistant', content: '' } }],
        usage: { prompt_tokens: 20, completion_tokens: 0, total_tokens: 20 },
      },
    ],
  ])('are part of the cost: an answer %s', async (_, empty) => {
    upstream.answer(({ path }) => (path.startsWith('/first') ? whole(empty) : later))
    expect(await costsOf()).toEqual([30_000, COMPUTED, 30_000 + COMPUTED])
  })

  test('are the whole cost of a failed call', async () => {
    upstream.answer(failed({ ...COUNTS, cost: 0.001 }))
    expect(await costsOf()).toEqual([null, null, 2_000_000])
    expect(await lastCall()).toMatchObject({ failed_tries: 2, outcome: 'failed', cost_nanos: 0 })
  })

  test('a call that failed and was not billed has no cost', async () => {
    upstream.answer(failed(null))
    expect(await costsOf()).toEqual([null, null, null])
  })
})

describe('a difference of more than 2 %', () => {
  const differences = async () => {
    const metrics = await gateway.call('/metrics', undefined, { key: TOKEN })
    return totalOf(readExposition(await metrics.text()), 'tollgate_provider_cost_differences_total')
  }

  test.each([
    ['2 % more', 0.0000204, false],
    ['2 % less', 0.0000196, false],
    ['more', 0.000020401, true],
    ['less', 0.000019599, true],
    ['nothing at all', 1e-9, true],
  ])('%s: shown on the page of the call, and counted', async (_, cost, differ) => {
    const before = await differences()
    upstream.answer(whole(answer({ ...COUNTS, cost })))
    await costsOf()
    const { request_id } = await lastCall()
    const path = `/calls/${request_id}`
    expect(await (await signedIn(gateway, 'operator')).json('GET', path)).toMatchObject({
      reported_cost_nanos: Math.round(cost * 1e9),
      computed_cost_nanos: COMPUTED,
      costs_differ: differ,
    })
    expect(await (await signedIn(gateway, { key })).json('GET', path)).toMatchObject({
      provider_cost_nanos: null,
      reported_cost_nanos: null,
      computed_cost_nanos: null,
      costs_differ: false,
    })
    expect(await differences()).toBe(before + (differ ? 1 : 0))
  })

  test('account holders see no costs', async () => {
    const usage = await gateway.call('/api/v1/usage', undefined, { key })
    expect(await usage.text()).not.toMatch(/reported_cost|computed_cost|provider_cost/)
  })
})
