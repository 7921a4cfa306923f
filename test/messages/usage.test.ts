// silent.md, "Messages": count_tokens is free; prompt caching is billed to the nano-dollar.
import { describe, expect, test } from 'bun:test'
import type { CallOptions } from '../support/gateway.ts'
import { RESET, refusal, whole } from '../support/upstream.ts'
import { createAnthropicSdk } from '../surfaces/clients.ts'
import {
  CACHE_READ_NANOS,
  CACHE_WRITE_1H_NANOS,
  CACHE_WRITE_5M_NANOS,
  countsOf,
  expectUntouched,
  INPUT_NANOS,
  MODELS,
  OUTPUT_NANOS,
  REFUSAL,
  recorded,
  streamOf,
} from '../surfaces/world.ts'
import { BODY, COUNT, errorOf, MODEL, messages, useMessages } from './scene.ts'

const scene = useMessages()

describe('count_tokens: "passed on where the provider has it, estimated where not; free"', () => {
  const { max_tokens: _, ...countable } = BODY

  test('passed on, and answered as the vendor counts', async () => {
    scene.world.upstream.answer(whole({ input_tokens: 2_095, novel: true }))
    const before = countsOf(scene.world)
    const response = await scene.post(countable, {}, COUNT)
    expect(await response.json()).toEqual({ input_tokens: 2_095, novel: true })
    expect(scene.world.upstream.last().path).toBe('/anthropic/v1/messages/count_tokens')
    expect(scene.world.upstream.last().headers['anthropic-version']).toBe('2023-06-01')
    await expectUntouched(scene.world, { ...before, seen: before.seen + 1 })
  })
  test.each(['gemini', 'openai'] as const)('estimated for %s, who is not asked', async (vendor) => {
    const before = countsOf(scene.world)
    const response = await scene.post({ ...countable, model: MODELS[vendor] }, {}, COUNT)
    const { input_tokens } = (await response.json()) as { input_tokens: number }
    expect(input_tokens).toBeGreaterThan(3)
    expect(input_tokens).toBeLessThan(20)
    await expectUntouched(scene.world, before)
  })
  test.each([
    ['an error under status 200', { error: { message: 'vendor-secret-one failed' } }],
    ['nothing that is JSON', 'http://vendor.internal is down'],
  ])('%s is no count, and reaches no caller', async (_, body) => {
    scene.world.upstream.answer(whole(body))
    const response = await scene.post(countable, {}, COUNT)
    expect(response.status).toBe(502)
    expect(await response.text()).not.toMatch(/vendor-secret|vendor\.internal/)
  })
  test('the SDK counts', async () => {
    scene.world.upstream.answer(whole({ input_tokens: 12 }))
    const sdk = createAnthropicSdk(scene.world.gateway.url, scene.key)
    const counted = await sdk.messages.countTokens({
      model: MODEL,
      messages: [{ role: 'user', content: 'x' }],
    })
    expect(counted.input_tokens).toBe(12)
  })
  test('costs nothing: an account without money may count', async () => {
    scene.world.upstream.answer(whole({ input_tokens: 12 }))
    const poor = await scene.world.gateway.caller('0')
    expect((await scene.post(countable, { key: poor }, COUNT)).status).toBe(200)
  })

  const REFUSED: [number, string, object, Partial<CallOptions>][] = [
    [401, 'no key', countable, { key: undefined }],
    [404, 'no such model', { ...countable, model: 'claude-9' }, {}],
    [400, 'no messages', { model: MODEL }, {}],
    [400, 'no model', { messages }, {}],
  ]
  test.each(REFUSED)('%i: %s', async (status, _, body, options) => {
    const before = countsOf(scene.world)
    expect((await errorOf(await scene.post(body, options, COUNT))).status).toBe(status)
    await expectUntouched(scene.world, before)
  })
  test('a key without the model may not count with it', async () => {
    const other = await scene.world.gateway.caller('10', { models: [MODELS.openai] })
    expect((await errorOf(await scene.post(countable, { key: other }, COUNT))).status).toBe(403)
  })
  test.each([
    [400, refusal(400, REFUSAL.anthropic(400, 'messages: odd'))],
    [502, refusal(500, 'x')],
    [429, refusal(529, 'x')],
    [502, RESET],
  ])('%i: the vendor does not count', async (status, answer) => {
    scene.world.upstream.answer(answer)
    const before = countsOf(scene.world)
    expect((await errorOf(await scene.post(countable, {}, COUNT))).status).toBe(status)
    await expectUntouched(scene.world, { ...before, seen: before.seen + 1 })
  })
})

describe('"prompt caching billed (5m and 1h writes, reads at a tenth)", to the nano-dollar', () => {
  const usage = (more: object) => ({ input_tokens: 11, output_tokens: 7, ...more })
  const BASE = 11 * INPUT_NANOS + 7 * OUTPUT_NANOS
  const CASES: [string, object, number, object][] = [
    ['no cache', usage({}), BASE, { cache_read_tokens: 0 }],
    [
      'a read at a tenth',
      usage({ cache_read_input_tokens: 2_048 }),
      BASE + 2_048 * CACHE_READ_NANOS,
      { cache_read_tokens: 2_048 },
    ],
    [
      'a write for 5 minutes',
      usage({
        cache_creation_input_tokens: 400,
        cache_creation: { ephemeral_5m_input_tokens: 400, ephemeral_1h_input_tokens: 0 },
      }),
      BASE + 400 * CACHE_WRITE_5M_NANOS,
      { cache_write_5m_tokens: 400, cache_write_1h_tokens: 0 },
    ],
    [
      'a write for an hour',
      usage({
        cache_creation_input_tokens: 400,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 400 },
      }),
      BASE + 400 * CACHE_WRITE_1H_NANOS,
      { cache_write_5m_tokens: 0, cache_write_1h_tokens: 400 },
    ],
    [
      'both, and a read',
      usage({
        cache_read_input_tokens: 2_048,
        cache_creation_input_tokens: 400,
        cache_creation: { ephemeral_5m_input_tokens: 300, ephemeral_1h_input_tokens: 100 },
      }),
      BASE + 2_048 * CACHE_READ_NANOS + 300 * CACHE_WRITE_5M_NANOS + 100 * CACHE_WRITE_1H_NANOS,
      { cache_read_tokens: 2_048, cache_write_5m_tokens: 300, cache_write_1h_tokens: 100 },
    ],
    [
      'a write that is not told apart is for 5 minutes',
      usage({ cache_creation_input_tokens: 400 }),
      BASE + 400 * CACHE_WRITE_5M_NANOS,
      { cache_write_5m_tokens: 400 },
    ],
  ]
  const answerOf = (told: object) => ({
    ...JSON.parse(recorded('anthropic', 'whole-text')[0] ?? ''),
    usage: told,
  })
  const eventsOf = (told: object, delta: object) =>
    streamOf(
      'anthropic',
      recorded('anthropic', 'stream-text').map((line) => {
        const event = JSON.parse(line)
        if (event.type === 'message_start') event.message.usage = { ...told, output_tokens: 1 }
        if (event.type === 'message_delta') event.usage = delta
        return JSON.stringify(event)
      }),
    )

  test.each(CASES)('%s, whole', async (_, told, cost_nanos, fields) => {
    scene.world.upstream.answer(whole(answerOf(told)))
    await (await scene.post(BODY)).text()
    expect(await scene.world.lastCall()).toMatchObject({
      cost_nanos,
      estimated: 0,
      input_tokens: 11,
      ...fields,
    })
  })
  test.each(CASES)(
    '%s, streamed: told at the start, restated at the end',
    async (_, told, cost_nanos, fields) => {
      scene.world.upstream.answer(eventsOf(told, told))
      await (await scene.post({ ...BODY, stream: true })).text()
      expect(await scene.world.lastCall()).toMatchObject({ cost_nanos, estimated: 0, ...fields })
    },
  )
  test.each(CASES)('%s, streamed: told at the start only', async (_, told, cost_nanos, fields) => {
    scene.world.upstream.answer(eventsOf(told, { output_tokens: 7 }))
    await (await scene.post({ ...BODY, stream: true })).text()
    expect(await scene.world.lastCall()).toMatchObject({ cost_nanos, estimated: 0, ...fields })
  })
  test('message_delta is cumulative: it replaces, and is never added', async () => {
    const lines = recorded('anthropic', 'stream-text')
    const delta = (output_tokens: number) =>
      JSON.stringify({ type: 'message_delta', delta: {}, usage: { output_tokens } })
    scene.world.upstream.answer(
      streamOf('anthropic', [...lines.slice(0, -2), delta(5), delta(9), ...lines.slice(-2)]),
    )
    await (await scene.post({ ...BODY, stream: true })).text()
    expect(await scene.world.lastCall()).toMatchObject({
      output_tokens: 24,
      cost_nanos: 14 * INPUT_NANOS + 24 * OUTPUT_NANOS,
    })
  })
  test('absent is not zero: without a usage the call is estimated, with zeros it is free', async () => {
    const { usage: _, ...without } = answerOf({})
    scene.world.upstream.answer(whole(without))
    await (await scene.post(BODY)).text()
    const call = await scene.world.lastCall()
    expect(call.estimated).toBe(1)
    expect(call.cost_nanos).toBe(call.input_tokens * INPUT_NANOS + call.output_tokens * OUTPUT_NANOS)
    expect(call.output_tokens).toBeGreaterThan(10)
    scene.world.upstream.answer(whole(answerOf({ input_tokens: 0, output_tokens: 0 })))
    await (await scene.post(BODY)).text()
    expect(await scene.world.lastCall()).toMatchObject({ estimated: 0, cost_nanos: 0 })
  })
})
