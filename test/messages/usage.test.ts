// silent.md, Messages, and Usage that is billed: count_tokens is free; prompt caching is billed to the nano-dollar.
import { describe, expect, test } from 'bun:test'
import { PROVIDER_KEYS } from '../support/catalogue.ts'
import type { CallOptions } from '../support/gateway.ts'
import { ERROR_BODY, readRecording, streamOf, targetProvider } from '../support/replay.ts'
import { createAnthropicSdk } from '../support/sdk-clients.ts'
import {
  ALIASES,
  CACHE_READ_NANOS,
  CACHE_WRITE_1H_NANOS,
  CACHE_WRITE_5M_NANOS,
  INPUT_NANOS,
  MODELS,
  OUTPUT_NANOS,
  TWO_PROVIDERS,
} from '../support/three-providers.ts'
import { RESET, refusal, whole } from '../support/upstream.ts'
import { BODY, COUNT, errorOf, MODEL, messages, messagesScene } from './support.ts'

const { gateway, upstream, key, post, upstreamBody, lastCall, counts, expectCounts } = await messagesScene()

describe('count_tokens: "passed on where the provider has it, estimated where not; free"', () => {
  const { max_tokens: _, ...countable } = BODY

  test('passed on, and answered with the provider’s count', async () => {
    upstream.answer(whole({ input_tokens: 2_095, novel: true }))
    const before = counts()
    const response = await post(countable, {}, COUNT)
    expect(await response.json()).toEqual({ input_tokens: 2_095, novel: true })
    expect(upstream.last().path).toBe('/anthropic/v1/messages/count_tokens')
    expect(upstream.last().headers['anthropic-version']).toBe('2023-06-01')
    await expectCounts({ ...before, requests: before.requests + 1 })
  })
  test.each(['gemini', 'openai'] as const)('estimated for %s, which gets no request', async (provider) => {
    const before = counts()
    const response = await post({ ...countable, model: MODELS[provider] }, {}, COUNT)
    const { input_tokens } = (await response.json()) as { input_tokens: number }
    expect(input_tokens).toBeGreaterThan(3)
    expect(input_tokens).toBeLessThan(20)
    await expectCounts(before)
  })
  test.each([
    ['an error under status 200', { error: { message: `${PROVIDER_KEYS[0]} failed` } }],
    ['an answer that is not JSON', 'http://provider.internal is down'],
  ])('%s is not a count, and does not reach the caller', async (_, body) => {
    upstream.answer(whole(body))
    const response = await post(countable, {}, COUNT)
    expect(response.status).toBe(502)
    expect(await response.text()).not.toMatch(/provider-secret|provider\.internal/)
  })
  test('the SDK counts', async () => {
    upstream.answer(whole({ input_tokens: 12 }))
    const sdk = createAnthropicSdk(gateway.url, key)
    const counted = await sdk.messages.countTokens({
      model: MODEL,
      messages: [{ role: 'user', content: 'x' }],
    })
    expect(counted.input_tokens).toBe(12)
  })
  test('free: an account without money may count', async () => {
    upstream.answer(whole({ input_tokens: 12 }))
    const poor = await gateway.caller('0')
    expect((await post(countable, { key: poor }, COUNT)).status).toBe(200)
  })

  const REFUSED: [number, string, object, Partial<CallOptions>][] = [
    [401, 'no key', countable, { key: undefined }],
    [404, 'no such model', { ...countable, model: 'claude-9' }, {}],
    [400, 'no messages', { model: MODEL }, {}],
    [400, 'no model', { messages }, {}],
  ]
  test.each(REFUSED)('%i: %s', async (status, _, body, options) => {
    const before = counts()
    expect((await errorOf(await post(body, options, COUNT))).status).toBe(status)
    await expectCounts(before)
  })
  test('a key without the model may not count with it', async () => {
    const other = await gateway.caller('10', { models: [MODELS.openai] })
    expect((await errorOf(await post(countable, { key: other }, COUNT))).status).toBe(403)
  })
  test.each([
    [400, refusal(400, ERROR_BODY.anthropic(400, 'messages: odd'))],
    [502, refusal(500, 'x')],
    [429, refusal(429, 'x')],
    [529, refusal(529, 'x')],
    [529, refusal(503, 'x')],
    [502, RESET],
  ])('%i: the provider fails to count', async (status, answer) => {
    upstream.answer(answer)
    const before = counts()
    expect((await errorOf(await post(countable, {}, COUNT))).status).toBe(status)
    await expectCounts({ ...before, requests: before.requests + 1 })
  })
})

describe('prompt caching: 5 minute and 1 hour writes, reads at a tenth', () => {
  const usage = (more: object) => ({ input_tokens: 11, output_tokens: 7, ...more })
  const written = (for_5m: number, for_1h: number) => ({
    cache_creation_input_tokens: for_5m + for_1h,
    cache_creation: { ephemeral_5m_input_tokens: for_5m, ephemeral_1h_input_tokens: for_1h },
  })
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
      usage(written(400, 0)),
      BASE + 400 * CACHE_WRITE_5M_NANOS,
      { cache_write_5m_tokens: 400, cache_write_1h_tokens: 0 },
    ],
    [
      'a write for an hour',
      usage(written(0, 400)),
      BASE + 400 * CACHE_WRITE_1H_NANOS,
      { cache_write_5m_tokens: 0, cache_write_1h_tokens: 400 },
    ],
    [
      'both, and a read',
      usage({ cache_read_input_tokens: 2_048, ...written(300, 100) }),
      BASE + 2_048 * CACHE_READ_NANOS + 300 * CACHE_WRITE_5M_NANOS + 100 * CACHE_WRITE_1H_NANOS,
      { cache_read_tokens: 2_048, cache_write_5m_tokens: 300, cache_write_1h_tokens: 100 },
    ],
    [
      'a write without a duration is for 5 minutes',
      usage({ cache_creation_input_tokens: 400 }),
      BASE + 400 * CACHE_WRITE_5M_NANOS,
      { cache_write_5m_tokens: 400 },
    ],
  ]
  const answerOf = (reported: object) => ({
    ...JSON.parse(readRecording('anthropic', 'whole-text')[0] ?? ''),
    usage: reported,
  })
  const eventsOf = (reported: object, delta: object) =>
    streamOf(
      'anthropic',
      readRecording('anthropic', 'stream-text').map((line) => {
        const event = JSON.parse(line)
        if (event.type === 'message_start') event.message.usage = { ...reported, output_tokens: 1 }
        if (event.type === 'message_delta') event.usage = delta
        return JSON.stringify(event)
      }),
    )

  test.each(CASES)('%s, whole', async (_, reported, cost_nanos, fields) => {
    upstream.answer(whole(answerOf(reported)))
    await (await post(BODY)).text()
    expect(await lastCall()).toMatchObject({ cost_nanos, estimated: 0, input_tokens: 11, ...fields })
  })
  test.each(CASES)(
    '%s, streamed: reported at the start, and again at the end',
    async (_, reported, cost_nanos, fields) => {
      upstream.answer(eventsOf(reported, reported))
      await (await post({ ...BODY, stream: true })).text()
      expect(await lastCall()).toMatchObject({ cost_nanos, estimated: 0, ...fields })
    },
  )
  test.each(CASES)('%s, streamed: reported at the start only', async (_, reported, cost_nanos, fields) => {
    upstream.answer(eventsOf(reported, { output_tokens: 7 }))
    await (await post({ ...BODY, stream: true })).text()
    expect(await lastCall()).toMatchObject({ cost_nanos, estimated: 0, ...fields })
  })
  test('message_delta is cumulative: it replaces, and is not added', async () => {
    const lines = readRecording('anthropic', 'stream-text')
    const delta = (output_tokens: number) =>
      JSON.stringify({ type: 'message_delta', delta: {}, usage: { output_tokens } })
    upstream.answer(streamOf('anthropic', [...lines.slice(0, -2), delta(5), delta(9), ...lines.slice(-2)]))
    await (await post({ ...BODY, stream: true })).text()
    expect(await lastCall()).toMatchObject({
      output_tokens: 24,
      cost_nanos: 14 * INPUT_NANOS + 24 * OUTPUT_NANOS,
    })
  })
  test('absent is not zero: without a usage the call is estimated, with zeros it is free', async () => {
    const { usage: _, ...without } = answerOf({})
    upstream.answer(whole(without))
    await (await post(BODY)).text()
    const call = await lastCall()
    expect(call.estimated).toBe(1)
    expect(call.cost_nanos).toBe(call.input_tokens * INPUT_NANOS + call.output_tokens * OUTPUT_NANOS)
    expect(call.output_tokens).toBeGreaterThan(10)
    upstream.answer(whole(answerOf({ input_tokens: 0, output_tokens: 0 })))
    await (await post(BODY)).text()
    expect(await lastCall()).toMatchObject({ estimated: 0, cost_nanos: 0 })
  })
})

describe('a limit of 0, which fills the cache and generates nothing: it passes to providers of the protocol only', () => {
  const FILLED = {
    ...JSON.parse(readRecording('anthropic', 'whole-text')[0] ?? ''),
    content: [],
    usage: { input_tokens: 3, cache_creation_input_tokens: 40, output_tokens: 0 },
  }

  test('a limit of 0 reaches a provider of the protocol; only the input is held for, and charged', async () => {
    upstream.answer(whole(FILLED))
    const response = await post({ ...BODY, max_tokens: 0 })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ content: [] })
    expect(upstreamBody()).toMatchObject({ max_tokens: 0 })
    const { input_tokens, output_tokens, cost_nanos } = await lastCall()
    expect({ input_tokens, output_tokens, cost_nanos }).toEqual({
      input_tokens: 3,
      output_tokens: 0,
      cost_nanos: 3 * 1_000 + 40 * 1_250,
    })
    expect(gateway.rows().holds.at(-1)?.amount_nanos).toBeGreaterThan(0)
  })

  test.each([ALIASES.openai, ALIASES.gemini])('%s does not get a limit of 0', async (model) => {
    const before = counts()
    expect(await errorOf(await post({ ...BODY, model, max_tokens: 0 }))).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: expect.stringMatching(/^max_tokens: must be at least 1/),
    })
    await expectCounts(before)
  })

  test('the second route of a model whose first one fails does not get it, either', async () => {
    upstream.answer(refusal(500))
    const seen = upstream.requests.length
    expect((await post({ ...BODY, model: TWO_PROVIDERS, max_tokens: 0 })).status).toBe(502)
    expect(upstream.requests.slice(seen).map(targetProvider)).toEqual(['anthropic'])
    await lastCall()
  })
})
