// Service tiers on every surface: passed on or translated, held at the requested tier, charged at the one that the answer names.
import { describe, expect, test } from 'bun:test'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import type { JsonObject } from '../../src/protocols/wire/json.ts'
import { fileScene } from '../support/scene.ts'
import { providerSection } from '../support/sections.ts'
import { type Answer, events, SILENCE, whole } from '../support/upstream.ts'
import { ERROR_OF, REQUESTS, type SurfaceRequest } from './requests.ts'

const PROTOCOLS = ['openai', 'anthropic', 'gemini'] as const satisfies readonly BuiltInProtocol[]
/** `openai` answers chat completions, `responses` the same provider's responses. */
type Wire = BuiltInProtocol | 'responses'

const TIERS = 'service_tiers = { priority = 2.0, flex = { input = 0.5, output = 1.5 } }'

const modelOf = (id: string, routes: readonly string[], tiers: string): string => `
[[models]]
id = "${id}"
kind = "text"
context = 100000
max_output_tokens = 1000
routes = [${routes}]
[models.price]
input = 1
output = 4
${tiers}
`
const routeTo = (provider: string, more = ''): string => `{ provider = "${provider}", model = "m"${more} }`
const COST = ', cost = { input = 0.5, output = 2, service_tiers = { priority = 3 } }'

const { upstream, call, upstreamBody, lastCall, counts, expectCounts } = await fileScene({
  catalogue: (url) =>
    [
      '[server]\nlog_level = "debug"',
      ...PROTOCOLS.map((name) =>
        providerSection(
          name,
          name,
          `${url}/${name}`,
          name === 'openai' ? 'cooldown_ms = 0\nresponses = true' : 'cooldown_ms = 0',
        ),
      ),
      ...PROTOCOLS.map((name) => modelOf(name, [routeTo(name)], TIERS)),
      ...PROTOCOLS.map((name) => modelOf(`plain-${name}`, [routeTo(name)], '')),
      modelOf('costed', [routeTo('openai', COST)], TIERS),
      modelOf('cost-alone', [routeTo('openai', COST)], ''),
      modelOf('mixed', [routeTo('anthropic'), routeTo('gemini', ', order = 1')], TIERS),
    ].join('\n'),
})

const FIELD: Readonly<Record<Wire, string>> = {
  openai: 'service_tier',
  responses: 'service_tier',
  anthropic: 'service_tier',
  gemini: 'serviceTier',
}

function requestOf(surface: Wire, model: string, streams: boolean, more: JsonObject): SurfaceRequest {
  if (surface !== 'responses') return REQUESTS[surface](model, streams, more)
  const body = { model, stream: streams, max_output_tokens: 1_000, input: 'Why are there tides?', ...more }
  return { path: '/v1/responses', headers: {}, body }
}

async function send(surface: Wire, model: string, streams: boolean, more: JsonObject): Promise<Response> {
  const { path, body, headers } = requestOf(surface, model, streams, more)
  return call(path, body, { form: 'x-api-key', headers })
}

/** The field that requests a tier. @param tier undefined: the field is left out */
const tierField = (surface: Wire, tier: string | undefined): JsonObject =>
  tier === undefined ? {} : { [FIELD[surface]]: tier }

/** An answer of 10 tokens read and 5 written that names a tier, as providers do. @param tier undefined: it names none */
const ANSWERS: Readonly<Record<Wire, (tier: string | undefined) => { whole: Answer; streamed: Answer }>> = {
  openai(tier) {
    const named = tier === undefined ? {} : { service_tier: tier }
    const usage = { prompt_tokens: 10, completion_tokens: 5 }
    const choice = { index: 0, finish_reason: 'stop' }
    return {
      whole: whole({
        choices: [{ ...choice, message: { role: 'assistant', content: 'Hello.' } }],
        usage,
        ...named,
      }),
      streamed: events([
        // At first the requested tier, as in OpenAI's streams.
        { choices: [{ ...choice, delta: { content: 'Hello.' } }], service_tier: 'auto' },
        { choices: [], usage, ...named },
        '[DONE]',
      ]),
    }
  },
  responses(tier) {
    const named = tier === undefined ? {} : { service_tier: tier }
    const text = { type: 'output_text', text: 'Hello.', annotations: [] }
    const response = {
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [text] }],
      usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
      ...named,
    }
    return {
      whole: whole(response),
      streamed: events([
        { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', service_tier: 'auto' } },
        {
          type: 'response.output_text.delta',
          item_id: 'msg_1',
          output_index: 0,
          content_index: 0,
          delta: 'Hello.',
        },
        { type: 'response.completed', response },
      ]),
    }
  },
  anthropic(tier) {
    const named = tier === undefined ? {} : { service_tier: tier }
    return {
      whole: whole({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'Hello.' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 10, output_tokens: 5, ...named },
      }),
      streamed: events([
        { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1, ...named } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
        { type: 'message_stop' },
      ]),
    }
  },
  gemini(tier) {
    const answer = {
      candidates: [
        { content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP', index: 0 },
      ],
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 5,
        ...(tier === undefined ? {} : { serviceTier: tier }),
      },
    }
    return { whole: whole(answer), streamed: events([answer]) }
  },
}

const STANDARD_NANOS = 10 * 1_000 + 5 * 4_000
const FLEX_NANOS = 10 * 500 + 5 * 1_500

/** The requested tier, the tier that the answer names, the charge. */
const ROWS = [
  [undefined, undefined, STANDARD_NANOS],
  [undefined, 'priority', STANDARD_NANOS],
  [undefined, 'flex', FLEX_NANOS],
  ['auto', 'priority', STANDARD_NANOS],
  ['auto', 'default', STANDARD_NANOS],
  ['priority', 'priority', 2 * STANDARD_NANOS],
  ['priority', undefined, 2 * STANDARD_NANOS],
  ['priority', 'default', STANDARD_NANOS],
  ['PRIORITY', 'SERVICE_TIER_PRIORITY', 2 * STANDARD_NANOS],
  ['flex', 'flex', FLEX_NANOS],
  ['flex', 'default', FLEX_NANOS],
  ['flex', undefined, FLEX_NANOS],
] as const

const WIRES: readonly Wire[] = [...PROTOCOLS, 'responses']
const providerOf = (wire: Wire): BuiltInProtocol => (wire === 'responses' ? 'openai' : wire)

describe.each(WIRES.map((wire) => [wire] as const))('%s to its own provider', (wire) => {
  test.each(ROWS)('requested %p, served %p: %d', async (tier, served, nanos) => {
    for (const streams of [false, true]) {
      const answer = ANSWERS[wire](served)
      upstream.answer(streams ? answer.streamed : answer.whole)
      const response = await send(wire, providerOf(wire), streams, tierField(wire, tier))
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello.')])
      expect(upstreamBody()[FIELD[wire]]).toBe(tier)
      const record = await lastCall()
      expect(record).toMatchObject({ outcome: 'completed', estimated: 0, cost_nanos: nanos, unpaid_nanos: 0 })
      expect(record.cost_nanos).toBeLessThanOrEqual(record.hold_nanos)
    }
  })

  test('the hold is that of the requested tier', async () => {
    const held = async (tier: string | undefined): Promise<number> => {
      upstream.answer(ANSWERS[wire](undefined).whole)
      await (await send(wire, providerOf(wire), false, tierField(wire, tier))).text()
      return (await lastCall()).hold_nanos
    }
    const standard = await held(undefined)
    expect(await held('auto')).toBeWithin(standard, standard + 100_000)
    // The words of the field are bytes of the request, too.
    expect(await held('priority')).toBeWithin(2 * standard, 2 * standard + 200_000)
    expect(await held('flex')).toBeWithin(1, standard)
  })
})

describe('a translated call requests the same tier and costs the same', () => {
  const pairs = WIRES.flatMap((surface) =>
    (['openai', 'gemini'] as const)
      .filter((provider) => providerOf(surface) !== provider)
      .map((provider) => [surface, provider] as const),
  )
  test.each(pairs)('%s to %s', async (surface, provider) => {
    for (const [tier, served, nanos] of ROWS)
      for (const streams of [false, true]) {
        const answer = ANSWERS[provider](served)
        upstream.answer(streams ? answer.streamed : answer.whole)
        const response = await send(surface, provider, streams, tierField(surface, tier))
        expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello.')])
        expect(upstreamBody()[FIELD[provider]]).toBe(tier === 'auto' ? undefined : tier?.toLowerCase())
        expect((await lastCall()).cost_nanos).toBe(nanos)
      }
  })

  test.each([
    ['openai', 'service_tier'],
    ['gemini', 'serviceTier'],
  ] as const)(
    '%s to Claude, whose API cannot request the tier: refused, nothing held',
    async (surface, field) => {
      const before = counts()
      const response = await send(surface, 'anthropic', false, { [field]: 'flex' })
      const { message } = ERROR_OF[surface]((await response.json()) as JsonObject)
      expect([response.status, message]).toEqual([
        400,
        expect.stringContaining(`${field}: is not supported by a Claude model`),
      ])
      await expectCounts(before)
    },
  )

  test.each([
    ['priority', 'priority', 'priority'],
    ['flex', 'standard', 'default'],
    ['flex', undefined, 'flex'],
    [undefined, undefined, 'default'],
  ])('a response names the tier: requested %p, served %p: %s', async (tier, served, expected) => {
    upstream.answer(ANSWERS.gemini(served).whole)
    const whole = await send('responses', 'gemini', false, tierField('responses', tier))
    expect(await whole.json()).toMatchObject({ service_tier: expected })
    upstream.answer(ANSWERS.gemini(served).streamed)
    const streamed = await (await send('responses', 'gemini', true, tierField('responses', tier))).text()
    const [, last = '{}'] = /data: (.*"type":"response.completed".*)/.exec(streamed) ?? []
    expect(JSON.parse(last)).toMatchObject({ response: { service_tier: expected } })
  })

  test('a route that cannot request the tier is skipped', async () => {
    upstream.answer(ANSWERS.gemini('flex').whole)
    await (await send('openai', 'mixed', false, { service_tier: 'flex' })).text()
    expect(await lastCall()).toMatchObject({ provider: 'gemini', cost_nanos: FLEX_NANOS })
  })

  test.each([
    ['openai', 'plain-gemini', 'gemini', 'serviceTier'],
    ['gemini', 'plain-openai', 'openai', 'service_tier'],
    ['openai', 'plain-anthropic', 'anthropic', 'service_tier'],
  ] as const)(
    '%s to %s, which has no price for tiers: the tier is dropped, at the standard price',
    async (from, model, to, field) => {
      upstream.answer(ANSWERS[to]('priority').whole)
      await (await send(from, model, false, tierField(from, 'priority'))).text()
      expect(upstreamBody()[field]).toBeUndefined()
      expect((await lastCall()).cost_nanos).toBe(STANDARD_NANOS)
    },
  )
})

describe('refused before anything is held', () => {
  test.each([
    ['openai', 'plain-openai', { service_tier: 'flex' }, 'this model has no price for any'],
    ['openai', 'openai', { service_tier: 'scale' }, 'Use priority or flex'],
    ['openai', 'openai', { service_tier: ['flex'] }, 'service_tier'],
    ['openai', 'openai', { service_tier: 2 }, 'service_tier'],
    ['openai', 'openai', { Service_Tier: 'flex' }, 'Service_Tier'],
    ['responses', 'openai', { service_tier: 'ultrafast' }, 'Use priority or flex'],
    ['anthropic', 'plain-anthropic', { service_tier: 'priority' }, 'this model has no price for any'],
    ['gemini', 'gemini', { serviceTier: 'deferred' }, 'Use priority or flex'],
    ['gemini', 'gemini', { generationConfig: { serviceTier: 'flex' } }, 'write serviceTier at the top'],
    ['gemini', 'gemini', { serviceTier: 'standard', service_tier: 'priority' }, 'service_tier'],
  ] as const)('%s to %s: %j', async (surface, model, more, words) => {
    const before = counts()
    const response = await send(surface, model, false, more as unknown as JsonObject)
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(words)])
    await expectCounts(before)
  })
})

describe('the cost of the route is that of the tier that served', () => {
  const UNIT_NANOS = 10 * 500 + 5 * 2_000
  test.each([
    ['costed', undefined, 'priority', STANDARD_NANOS, 3 * UNIT_NANOS],
    ['costed', 'priority', 'default', STANDARD_NANOS, UNIT_NANOS],
    ['costed', 'priority', undefined, 2 * STANDARD_NANOS, 3 * UNIT_NANOS],
    ['costed', 'flex', 'flex', FLEX_NANOS, null],
    ['cost-alone', undefined, 'priority', STANDARD_NANOS, 3 * UNIT_NANOS],
    ['cost-alone', 'auto', 'default', STANDARD_NANOS, UNIT_NANOS],
  ] as const)('%s, requested %p, served %p', async (model, tier, served, nanos, provider_nanos) => {
    for (const streams of [false, true]) {
      const answer = ANSWERS.openai(served)
      upstream.answer(streams ? answer.streamed : answer.whole)
      await (await send('openai', model, streams, tierField('openai', tier))).text()
      expect(await lastCall()).toMatchObject({ cost_nanos: nanos, provider_cost_nanos: provider_nanos })
    }
  })
})

test('Vertex AI names the tier as its traffic', async () => {
  for (const [trafficType, nanos] of [
    ['ON_DEMAND_PRIORITY', 2 * STANDARD_NANOS],
    ['ON_DEMAND_FLEX', FLEX_NANOS],
    ['ON_DEMAND', STANDARD_NANOS],
    ['PROVISIONED_THROUGHPUT', 2 * STANDARD_NANOS],
  ] as const) {
    const answer = {
      candidates: [{ content: { parts: [{ text: 'Hello.' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, trafficType },
    }
    upstream.answer(whole(answer))
    await (await send('gemini', 'gemini', false, { serviceTier: 'priority' })).text()
    expect((await lastCall()).cost_nanos).toBe(nanos)
  }
})

test('Mistral names the tier beside the counts', async () => {
  const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello.' } }
  const usage = { prompt_tokens: 10, completion_tokens: 5, service_tier: 'standard' }
  upstream.answer(whole({ choices: [choice], usage }))
  await (await send('openai', 'openai', false, { service_tier: 'priority' })).text()
  expect((await lastCall()).cost_nanos).toBe(STANDARD_NANOS)
})

test('a tier in the model’s own output does not count', async () => {
  const args = { serviceTier: 'flex', service_tier: 'flex', usageMetadata: { serviceTier: 'flex' } }
  const parts = [{ text: '"serviceTier":"flex"' }, { functionCall: { name: 'f', args } }]
  const answer = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
  }
  for (const streams of [false, true]) {
    upstream.answer(streams ? events([answer]) : whole(answer))
    await (await send('gemini', 'gemini', streams, {})).text()
    expect((await lastCall()).cost_nanos).toBe(STANDARD_NANOS)
  }
})

test('the price that was applied names the tier, and is kept once for all of its calls', async () => {
  const stored = async () => {
    upstream.answer(ANSWERS.openai('priority').whole)
    await (await send('openai', 'openai', false, { service_tier: 'priority' })).text()
    const { price, price_id } = await lastCall()
    expect(JSON.parse(price)).toMatchObject({ unit: 'token', service_tier: 'priority' })
    return price_id
  }
  expect(await stored()).toBe(await stored())
})

test('a caller who disconnects before the first event pays for the input at the requested tier', async () => {
  upstream.answer(SILENCE)
  const leaving = new AbortController()
  const { path, body, headers } = requestOf('openai', 'costed', true, { service_tier: 'priority' })
  const left = call(path, body, { form: 'x-api-key', headers, signal: leaving.signal }).catch(() => 'left')
  await upstream.waitForRequest(upstream.requests.length + 1)
  leaving.abort()
  expect(await left).toBe('left')
  const { cost_nanos, input_tokens, outcome, provider_cost_nanos } = await lastCall()
  expect({ outcome, cost_nanos, provider_cost_nanos }).toEqual({
    outcome: 'cancelled',
    cost_nanos: input_tokens * 2_000,
    provider_cost_nanos: input_tokens * 1_500,
  })
})
