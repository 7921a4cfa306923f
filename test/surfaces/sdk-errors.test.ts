// Issue: "errors (each SDK raises its own class)": every status, against models of all three vendors, whole and streamed; breaks; aborts.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import * as anthropic from '@anthropic-ai/sdk'
import { ApiError } from '@google/genai'
import * as openai from 'openai'
import { suspendAccount } from '../../src/access/accounts.ts'
import type { BuiltInProtocol } from '../../src/protocols/registry.ts'
import { type Answer, RESET, refusal, SILENCE, type Step } from '../support/upstream.ts'
import { type Ask, CLIENTS } from './clients.ts'
import {
  countsOf,
  expectUntouched,
  framed,
  MODELS,
  openWorld,
  PROTOCOLS,
  REFUSAL,
  recorded,
  replay,
  type World,
} from './world.ts'

const MORE = `
[limits.accounts.limited-gemini]
requests_per_minute = 1
[limits.accounts.limited-anthropic]
requests_per_minute = 1
[limits.accounts.limited-openai]
requests_per_minute = 1
`

/** Models whose vendors are given little time. */
const hasty = (url: string): string =>
  PROTOCOLS.map(
    (protocol) => `
[[providers]]
name = "hasty-${protocol}"
protocol = "${protocol}"
base_url = "${url}/${protocol}"
api_keys = []
call_timeout_ms = 60
first_byte_timeout_ms = 60
cooldown_ms = 0

[[models]]
id = "hasty-${protocol}"
kind = "text"
routes = [{ provider = "hasty-${protocol}", model = "${MODELS[protocol]}" }]
price = { input = 1, output = 4 }
`,
  ).join('')

let world: World
beforeAll(async () => {
  world = await openWorld((url) => MORE + hasty(url))
})
afterAll(() => world[Symbol.asyncDispose]())

type ErrorClass = abstract new (...given: never[]) => Error

/** What each SDK throws for a status of its surface. Google's has one class for all. */
const CLASSES: Readonly<Record<BuiltInProtocol, Readonly<Record<number, ErrorClass>>>> = {
  gemini: Object.fromEntries([400, 401, 402, 403, 404, 429, 502].map((status) => [status, ApiError])),
  anthropic: {
    400: anthropic.BadRequestError,
    401: anthropic.AuthenticationError,
    402: anthropic.APIError,
    403: anthropic.PermissionDeniedError,
    404: anthropic.NotFoundError,
    413: anthropic.APIError,
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
    413: openai.APIError,
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
  PROTOCOLS.flatMap((vendor) => [false, true].map((streams) => [caller, vendor, streams] as const)),
)

/** Over 30 MB for the native surface and chat, over 32 MB for messages. */
const TOO_LONG = 'a'.repeat(33 * 1024 * 1024)

describe.each(EACH)('the SDK for %s, a %s model, streamed: %p', (caller, vendor, streams) => {
  const expectThrown = async (status: number, key: string, ask: Partial<Ask> = {}): Promise<Error> => {
    const thrown = await thrownBy(
      CLIENTS[caller](world.gateway.url, key).ask({ model: MODELS[vendor], streams, ...ask }),
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
    [402, 'an empty balance', async () => [await world.gateway.caller('0'), {}]],
    [403, 'a key without the model', async () => [await world.gateway.caller('1', { models: ['x'] }), {}]],
    [403, 'a suspended account', async () => [await suspendedKey(), {}]],
    [404, 'no such model', async () => [await world.gateway.caller('1'), { model: 'nothing-9' }]],
    [404, 'a retired model', async () => [await world.gateway.caller('1'), { model: 'retired' }]],
  ]
  test.each(REFUSALS)('%i: %s', async (status, _, prepare) => {
    world.upstream.answer(replay('text'))
    const [key, ask] = await prepare()
    const before = countsOf(world)
    await expectThrown(status, key, ask)
    await expectUntouched(world, before)
  })

  test('429: the limit on requests', async () => {
    world.upstream.answer(replay('text'))
    const name = `limited-${caller}`
    if (!world.gateway.rows().accounts.some((account) => account.name === name))
      await world.gateway.account(name, { balance_usd: '1' })
    const key = world.gateway.key(name)
    await CLIENTS[caller](world.gateway.url, key)
      .ask({ model: MODELS[vendor], streams })
      .catch(() => undefined)
    await expectThrown(429, key)
  })

  const FAILURES: [number, string, Answer][] = [
    [400, 'finds fault with the request', refusal(400, REFUSAL[vendor](400, 'the request is odd'))],
    [429, 'is busy', refusal(429, REFUSAL[vendor](429, 'slow down'))],
    [502, 'fails', refusal(500, REFUSAL[vendor](500, 'secret words'))],
    [502, 'refuses the gateway’s key', refusal(401, REFUSAL[vendor](401, 'secret words'))],
    [502, 'sends HTML', refusal(502, '<html>secret words</html>', { 'content-type': 'text/html' })],
    [502, 'breaks the connection', RESET],
  ]
  test.each(FAILURES)('%i: the vendor %s; all is given back', async (status, _, answer) => {
    world.upstream.answer(answer)
    const thrown = await expectThrown(status, await world.gateway.caller())
    expect(thrown.message).not.toContain('secret')
    if (status === 400) expect(thrown.message).toContain('the request is odd')
    expect(await world.lastCall()).toMatchObject({ outcome: 'failed', status, cost_nanos: 0 })
  })

  test('504, or 502 on the native surface: the vendor is silent', async () => {
    world.upstream.answer(SILENCE)
    const ask = { model: `hasty-${vendor}` }
    await expectThrown(caller === 'gemini' ? 502 : 504, await world.gateway.caller(), ask)
  })
})

test.each(PROTOCOLS)(
  'the SDK for %s: a body over the limit is 413, or 400 on the native surface',
  async (caller) => {
    const before = countsOf(world)
    const client = CLIENTS[caller](world.gateway.url, await world.gateway.caller('1000'))
    const thrown = await thrownBy(client.ask({ model: MODELS[caller], streams: false, prompt: TOO_LONG }))
    const status = caller === 'gemini' ? 400 : 413
    expect(thrown.status).toBe(status)
    expect(thrown).toBeInstanceOf(CLASSES[caller][status] ?? Error)
    await expectUntouched(world, before)
  },
)

/** The vendor's first words, then this. */
function begun(vendor: BuiltInProtocol, ...then: readonly Step[]): Answer {
  const payloads = recorded(vendor, 'stream-text')
  const end = payloads.findIndex((payload) => payload.includes('"Tides"')) + 1
  return {
    headers: { 'content-type': 'text/event-stream' },
    steps: [...payloads.slice(0, end).map((payload) => ({ send: framed(vendor, payload) })), ...then],
  }
}

/** A vendor's own error inside its stream. */
const STREAM_ERROR: Readonly<Record<BuiltInProtocol, string>> = {
  gemini: '{"error":{"code":503,"message":"secret words","status":"UNAVAILABLE"}}',
  anthropic: '{"type":"error","error":{"type":"overloaded_error","message":"secret words"}}',
  openai: '{"error":{"message":"secret words","type":"server_error","param":null,"code":null}}',
}

/** What each SDK makes of an error inside a stream: it has no status any more. */
const STREAM_CLASSES: Readonly<Record<BuiltInProtocol, ErrorClass>> = {
  gemini: ApiError,
  anthropic: anthropic.APIError,
  openai: openai.APIError,
}

const PAIRS = PROTOCOLS.flatMap((caller) => PROTOCOLS.map((vendor) => [caller, vendor] as const))

describe.each(PAIRS)('in the middle of a stream: the SDK for %s, a %s model', (caller, vendor) => {
  const BREAKS: [string, () => Answer][] = [
    ['resets the connection', () => begun(vendor, 'reset')],
    ['ends before its answer is complete', () => begun(vendor)],
    ['reports an error', () => begun(vendor, { send: framed(vendor, STREAM_ERROR[vendor]) })],
    ['sends what is no JSON', () => begun(vendor, { send: 'data: {"error":{\n\n' }, 'reset')],
  ]
  test.each(BREAKS)(
    'the vendor %s: what came is heard, then the SDK throws, and what came is charged',
    async (_, answer) => {
      world.upstream.answer(answer())
      const heard: string[] = []
      const client = CLIENTS[caller](world.gateway.url, await world.gateway.caller())
      const thrown = await thrownBy(
        client.ask({ model: MODELS[vendor], streams: true, onText: (text) => heard.push(text) }),
      )
      expect(thrown).toBeInstanceOf(STREAM_CLASSES[caller])
      expect(thrown.message).not.toContain('secret')
      expect(heard.join('')).toBe('Tides')
      const call = await world.lastCall()
      expect(call).toMatchObject({ outcome: 'broken', estimated: 1, status: 200 })
      expect(call.output_tokens).toBe(2)
    },
  )

  test('the caller aborts: the vendor is left, what came is charged', async () => {
    world.upstream.answer(begun(vendor, 'hang'))
    const leaving = new AbortController()
    const client = CLIENTS[caller](world.gateway.url, await world.gateway.caller())
    const thrown = await thrownBy(
      client.ask({
        model: MODELS[vendor],
        streams: true,
        signal: leaving.signal,
        onText: () => leaving.abort(),
      }),
    )
    expect(thrown.message).toMatch(/abort/i)
    await world.upstream.last().over
    expect(world.upstream.last().aborted).toBe(true)
    const call = await world.lastCall()
    expect(call).toMatchObject({ outcome: 'cancelled', status: 499, estimated: 1 })
    expect(call.output_tokens).toBe(2)
  })

  test('the caller aborts before an answer: the vendor is left, nothing is charged', async () => {
    const arrived = Promise.withResolvers<void>()
    world.upstream.answer(() => {
      arrived.resolve()
      return SILENCE
    })
    const leaving = new AbortController()
    const client = CLIENTS[caller](world.gateway.url, await world.gateway.caller())
    const asking = thrownBy(client.ask({ model: MODELS[vendor], streams: false, signal: leaving.signal }))
    await arrived.promise
    leaving.abort()
    expect((await asking).message).toMatch(/abort/i)
    await world.upstream.last().over
    expect(world.upstream.last().aborted).toBe(true)
    expect(await world.lastCall()).toMatchObject({ outcome: 'cancelled', status: 499, cost_nanos: 0 })
  })
})

async function suspendedKey(): Promise<string> {
  const { gateway } = world
  const { name } = await gateway.account(`suspended-${Bun.randomUUIDv7()}`, { balance_usd: '1' })
  const key = gateway.key(name)
  suspendAccount(gateway.db, name)
  return key
}
