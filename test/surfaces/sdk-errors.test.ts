// Errors as the three SDKs throw them: every status, with models of all three protocols, whole and streamed; broken streams; aborts.

import { describe, expect, test } from 'bun:test'
import * as anthropic from '@anthropic-ai/sdk'
import { ApiError } from '@google/genai'
import * as openai from 'openai'
import { suspendAccount } from '../../src/access/accounts.ts'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { sample } from '../support/long.ts'
import { ERROR_BODY, firstWord, frame, framedSteps, replay } from '../support/replay.ts'
import { type Ask, CLIENTS } from '../support/sdk-clients.ts'
import { hastyModel, limitedAccount, MODELS, PROTOCOLS, threeProviders } from '../support/three-providers.ts'
import { type Answer, RESET, refusal, SILENCE, type Step, stream } from '../support/upstream.ts'

const { gateway, upstream, key, lastCall, counts, expectCounts } = await threeProviders()

type ErrorClass = abstract new (...args: never[]) => Error

/** The class that each SDK throws for a status; Google's has one for all. */
const CLASSES: Readonly<Record<BuiltInProtocol, Readonly<Record<number, ErrorClass>>>> = {
  gemini: Object.fromEntries([400, 401, 402, 403, 404, 429, 502].map((status) => [status, ApiError])),
  anthropic: {
    400: anthropic.BadRequestError,
    401: anthropic.AuthenticationError,
    402: anthropic.APIError,
    403: anthropic.PermissionDeniedError,
    404: anthropic.NotFoundError,
    429: anthropic.RateLimitError,
    502: anthropic.InternalServerError,
    504: anthropic.InternalServerError,
  },
  openai: {
    400: openai.BadRequestError,
    401: openai.AuthenticationError,
    402: openai.APIError,
    403: openai.PermissionDeniedError,
    404: openai.NotFoundError,
    429: openai.RateLimitError,
    502: openai.InternalServerError,
    504: openai.InternalServerError,
  },
}

async function thrownBy(promise: Promise<unknown>): Promise<Error & { status?: number }> {
  const thrown = await promise.then(
    (value) => new Error(`it did not fail: ${JSON.stringify(value)}`),
    (error: unknown) => error,
  )
  if (thrown instanceof Error) return thrown
  throw new Error(`no Error was thrown: ${thrown}`)
}

const EACH = PROTOCOLS.flatMap((caller) =>
  PROTOCOLS.flatMap((provider) => [false, true].map((streams) => [caller, provider, streams] as const)),
)

const ROWS = EACH.map((cells, row) => [...cells, row] as const)

describe.each(ROWS)('the SDK for %s, a %s model, streamed: %p', (caller, provider, streams, row) => {
  const expectThrown = async (status: number, key: string, ask: Partial<Ask> = {}): Promise<Error> => {
    const thrown = await thrownBy(
      CLIENTS[caller](gateway.url, key).ask({ model: MODELS[provider], streams, ...ask }),
    )
    expect({ status: thrown.status, message: thrown.message }).toEqual({
      status,
      message: expect.stringMatching(/\S/),
    })
    expect(thrown).toBeInstanceOf(CLASSES[caller][status] ?? Error)
    return thrown
  }

  const REFUSALS: [number, string, () => Promise<[string, Partial<Ask>]>][] = [
    [401, 'an unknown key', async () => ['tg_no-such-key-there-is', {}]],
    [402, 'an empty balance', async () => [await gateway.caller('0'), {}]],
    [403, 'a key without the model', async () => [await gateway.caller('1', { models: ['x'] }), {}]],
    [403, 'a suspended account', async () => [await suspendedKey(), {}]],
    [404, 'no such model', async () => [key, { model: 'no-such-model' }]],
    [404, 'a retired model', async () => [key, { model: 'retired' }]],
  ]
  test.each(sample(REFUSALS, row))('%i: %s', async (status, _, prepare) => {
    upstream.answer(replay('text'))
    const [key, ask] = await prepare()
    const before = counts()
    await expectThrown(status, key, ask)
    await expectCounts(before)
  })

  test('429: the limit on requests', async () => {
    upstream.answer(replay('text'))
    const name = limitedAccount(caller)
    if (!gateway.rows().accounts.some((account) => account.name === name))
      await gateway.account(name, { balance_usd: '1' })
    const key = await gateway.key(name)
    // The account's only request of this minute, unless another case has sent it: then this one is refused, too.
    await CLIENTS[caller](gateway.url, key)
      .ask({ model: MODELS[provider], streams })
      .catch(() => undefined)
    await expectThrown(429, key)
  })

  const FAILURES: [number, string, Answer][] = [
    [400, 'finds fault with the request', refusal(400, ERROR_BODY[provider](400, 'the request is odd'))],
    [429, 'limits its rate', refusal(429, ERROR_BODY[provider](429, 'slow down'))],
    [502, 'fails', refusal(500, ERROR_BODY[provider](500, 'secret words'))],
    [502, 'refuses its key', refusal(401, ERROR_BODY[provider](401, 'secret words'))],
    [502, 'sends HTML', refusal(502, '<html>secret words</html>', { 'content-type': 'text/html' })],
    [502, 'resets the connection', RESET],
  ]
  test.each(sample(FAILURES, row))('%i: the provider %s; the hold is voided', async (status, _, answer) => {
    upstream.answer(answer)
    const thrown = await expectThrown(status, key)
    expect(thrown.message).not.toContain('secret')
    if (status === 400) expect(thrown.message).toContain('the request is odd')
    expect(await lastCall()).toMatchObject({ outcome: 'failed', status, cost_nanos: 0 })
  })

  test('504, or 502 on the native surface: the provider does not answer in time', async () => {
    upstream.answer(SILENCE)
    const ask = { model: hastyModel(provider) }
    await expectThrown(caller === 'gemini' ? 502 : 504, key, ask)
  })
})

/** The first word of an answer, then these steps. */
function partial(provider: BuiltInProtocol, ...then: readonly Step[]): Answer {
  return stream(...framedSteps(provider, firstWord(provider)), ...then)
}

/** An error inside a stream, in each protocol. */
const STREAM_ERROR: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: '{"error":{"code":503,"message":"secret words","status":"UNAVAILABLE"}}',
  anthropic: '{"type":"error","error":{"type":"overloaded_error","message":"secret words"}}',
  openai: '{"error":{"message":"secret words","type":"server_error","param":null,"code":null}}',
}

/** The class that each SDK throws for an error inside a stream, which has no status. */
const STREAM_CLASSES: Readonly<Record<BuiltInProtocol, ErrorClass>> = {
  gemini: ApiError,
  anthropic: anthropic.APIError,
  openai: openai.APIError,
}

const PAIRS = PROTOCOLS.flatMap((caller) => PROTOCOLS.map((provider) => [caller, provider] as const))

describe.each(PAIRS)('in the middle of a stream: the SDK for %s, a %s model', (caller, provider) => {
  const BREAKS: [string, () => Answer][] = [
    ['resets the connection', () => partial(provider, 'reset')],
    ['ends before its answer is complete', () => partial(provider)],
    ['reports an error', () => partial(provider, { send: frame(provider, STREAM_ERROR[provider]) })],
    ['sends invalid JSON', () => partial(provider, { send: 'data: {"error":{\n\n' }, 'reset')],
  ]
  test.each(BREAKS)(
    'the provider %s: the delivered text is read and charged, then the SDK throws',
    async (_, answer) => {
      upstream.answer(answer())
      const pieces: string[] = []
      const client = CLIENTS[caller](gateway.url, key)
      const thrown = await thrownBy(
        client.ask({ model: MODELS[provider], streams: true, onText: (text) => pieces.push(text) }),
      )
      expect(thrown).toBeInstanceOf(STREAM_CLASSES[caller])
      expect(thrown.message).not.toContain('secret')
      expect(pieces.join('')).toBe('Tides')
      const call = await lastCall()
      expect(call).toMatchObject({ outcome: 'broken', estimated: 1, status: 200 })
      expect(call.output_tokens).toBe(2)
    },
  )

  test('the caller aborts: the upstream call is aborted, the delivered text is charged', async () => {
    upstream.answer(partial(provider, 'hang'))
    const leaving = new AbortController()
    const client = CLIENTS[caller](gateway.url, key)
    const thrown = await thrownBy(
      client.ask({
        model: MODELS[provider],
        streams: true,
        signal: leaving.signal,
        onText: () => leaving.abort(),
      }),
    )
    expect(thrown.message).toMatch(/abort/i)
    await upstream.last().over
    expect(upstream.last().aborted).toBe(true)
    const call = await lastCall()
    expect(call).toMatchObject({ outcome: 'cancelled', status: 499, estimated: 1 })
    expect(call.output_tokens).toBe(2)
  })

  test('the caller aborts before an answer: the upstream call is aborted, its input is charged', async () => {
    upstream.answer(SILENCE)
    const seen = upstream.requests.length
    const leaving = new AbortController()
    const client = CLIENTS[caller](gateway.url, key)
    const asking = thrownBy(client.ask({ model: MODELS[provider], streams: false, signal: leaving.signal }))
    await upstream.waitForRequest(seen + 1)
    leaving.abort()
    expect((await asking).message).toMatch(/abort/i)
    await upstream.last().over
    expect(upstream.last().aborted).toBe(true)
    const call = await lastCall()
    expect(call).toMatchObject({ outcome: 'cancelled', status: 499, output_tokens: 0, estimated: 1 })
    expect(call.cost_nanos).toBe(call.input_tokens * 1_000)
    expect(call.input_tokens).toBeGreaterThan(0)
  })
})

async function suspendedKey(): Promise<string> {
  const { name } = await gateway.account(`suspended-${Bun.randomUUIDv7()}`, { balance_usd: '1' })
  const key = await gateway.key(name)
  await suspendAccount(gateway.store, name, { now_ms: 0 })
  return key
}
