// design.md, Dispatch: "429, 5xx and connection failures before the first byte go to the next route; a failing provider key rests".
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { catalogueOf, MODEL, PROVIDER_KEYS } from '../support/catalogue.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import {
  ANSWER_NANOS,
  answer,
  ask,
  nativeError,
  payloadsOf,
  piece,
  streamPath,
  usage,
  wholePath,
} from '../support/native.ts'
import {
  events,
  refusal,
  type Script,
  SILENCE,
  startUpstream,
  stream,
  type Upstream,
  whole,
} from '../support/upstream.ts'
import { FAILURES, leaky, patienceWith } from './failing.ts'

let upstream: Upstream
let second: Upstream
let gateway: TestGateway
let key: string
let clock_ms = Date.now()

beforeAll(async () => {
  upstream = await startUpstream()
  second = await startUpstream()
  gateway = await startTestGateway({ upstream, now: () => clock_ms })
  key = await gateway.caller('100')
})
afterAll(async () => {
  await gateway.stop()
  await upstream[Symbol.asyncDispose]()
  await second[Symbol.asyncDispose]()
})
beforeEach(async () => {
  clock_ms += 3_600_000
  upstream.seen.length = 0
  second.seen.length = 0
  await gateway.recatalogue(catalogueOf({ upstream_url: upstream.url }))
})

const PATHS = [wholePath(), streamPath()]
const good: Script = (seen) => (seen.path.includes(':stream') ? events([answer()]) : whole(answer()))

/** The model with two routes: `vendor`, and after it `spare`. */
const twoRoutes = (rest = '') => `
[server]
log_level = "debug"
ledger_writer = "inline"

[[providers]]
name = "vendor"
protocol = "gemini"
base_url = "${upstream.url}"
api_keys = ["${PROVIDER_KEYS[0]}"]
${rest}

[[providers]]
name = "spare"
protocol = "gemini"
base_url = "${second.url}"
api_keys = ["${PROVIDER_KEYS[1]}"]

[[models]]
id = "${MODEL}"
kind = "text"
routes = [{ provider = "vendor", model = "first" }, { provider = "spare", model = "second", order = 1 }]
price = { input = 1, output = 4 }
`

describe('"429, 5xx and connection failures before the first byte go to the next route"', () => {
  const PASSED_ON = FAILURES.filter(([, , code]) => code !== 400)
  beforeEach(async () => {
    await gateway.recatalogue(twoRoutes())
    second.answer(good)
  })

  test.each(PASSED_ON.flatMap(([what, script]) => PATHS.map((path) => [what, path, script] as const)))(
    '%s, %s',
    async (what, path, script) => {
      await gateway.recatalogue(twoRoutes(patienceWith(what)))
      upstream.answer(script)
      const response = await gateway.call(path, ` ${JSON.stringify(ask())}`, { key })
      expect(response.status).toBe(200)
      expect(await response.text()).toContain('Hello.')
      expect(second.last().headers['x-goog-api-key']).toBe(PROVIDER_KEYS[1])
      expect(second.last().body.equals(upstream.last().body)).toBe(true)
      const { calls } = await gateway.atRest()
      expect(calls.at(-1)).toMatchObject({
        provider: 'spare',
        upstream_model: 'second',
        cost_nanos: ANSWER_NANOS,
        outcome: 'completed',
      })
    },
  )

  test('what is the caller’s doing goes nowhere else', async () => {
    upstream.answer(refusal(400, leaky(400, 'INVALID_ARGUMENT')))
    expect((await gateway.call(wholePath(), ask(), { key })).status).toBe(400)
    expect(second.seen).toEqual([])
  })

  test('when every route fails, the call does, and each was asked once', async () => {
    upstream.answer(refusal(500))
    second.answer(refusal(503))
    expect((await gateway.call(wholePath(), ask(), { key })).status).toBe(502)
    expect([upstream.seen.length, second.seen.length]).toEqual([1, 1])
    await gateway.atRest()
  })

  test('"Never a retry after the first byte"', async () => {
    upstream.answer(stream({ event: piece('Hello', { usageMetadata: usage(10, 2) }) }, 'reset'))
    const response = await gateway.call(streamPath(), ask(), { key })
    const records = payloadsOf(await response.text())
    expect(records).toEqual([
      piece('Hello', { usageMetadata: usage(10, 2) }),
      nativeError(502, 'UNAVAILABLE'),
    ])
    expect(second.seen).toEqual([])
    const { calls } = await gateway.atRest()
    expect(calls.at(-1)).toMatchObject({
      outcome: 'broken',
      provider: 'vendor',
      cost_nanos: 10 * 1_000 + 2 * 4_000,
    })
  })

  test('nor after the first byte of an event that never became whole', async () => {
    upstream.answer(stream({ send: 'data: {"candi' }, 'reset'))
    const response = await gateway.call(streamPath(), ask(), { key })
    expect(payloadsOf(await response.text())).toEqual([nativeError(502, 'UNAVAILABLE')])
    expect(second.seen).toEqual([])
    expect((await gateway.atRest()).calls.at(-1)).toMatchObject({ outcome: 'broken', cost_nanos: 0 })
  })

  test('"never after the caller has gone"', async () => {
    const arrived = Promise.withResolvers<void>()
    upstream.answer(async () => {
      arrived.resolve()
      return SILENCE
    })
    const leaving = new AbortController()
    const call = gateway.call(wholePath(), ask(), { key, signal: leaving.signal })
    await arrived.promise
    leaving.abort()
    await expect(call).rejects.toThrow()
    await upstream.last().over
    expect((await gateway.atRest()).calls.at(-1)).toMatchObject({
      outcome: 'cancelled',
      status: 499,
      cost_nanos: 0,
    })
    expect(second.seen).toEqual([])
  })

  test('"a failing provider key rests for a while", and comes back', async () => {
    await gateway.recatalogue(twoRoutes('cooldown_ms = 10_000'))
    const send = async () => (await gateway.call(wholePath(), ask(), { key })).text()
    const counts = () => [upstream.seen.length, second.seen.length]
    upstream.answer(refusal(500))
    await send()
    expect(counts()).toEqual([1, 1])
    upstream.answer(good)
    clock_ms += 9_999
    await send()
    expect(counts()).toEqual([1, 2])
    clock_ms += 1
    await send()
    expect(counts()).toEqual([2, 2])
  })

  test('it rests as long as the vendor asks, and longer each time', async () => {
    await gateway.recatalogue(twoRoutes('cooldown_ms = 10_000'))
    const send = async () => (await gateway.call(wholePath(), ask(), { key })).text()
    upstream.answer(refusal(429, {}, { 'retry-after': '45' }))
    await send()
    clock_ms += 44_999
    await send()
    expect(upstream.seen).toHaveLength(1)
    clock_ms += 1
    upstream.answer(refusal(500))
    await send()
    expect(upstream.seen).toHaveLength(2)
    clock_ms += 19_999
    await send()
    expect(upstream.seen).toHaveLength(2)
    clock_ms += 1
    upstream.answer(good)
    await send()
    expect(upstream.seen).toHaveLength(3)
  })
})

describe('several keys of one provider', () => {
  beforeEach(async () => {
    await gateway.recatalogue(catalogueOf({ upstream_url: upstream.url, api_keys: PROVIDER_KEYS }))
  })
  const usedKeys = () => upstream.seen.map(({ headers }) => headers['x-goog-api-key'] ?? '')

  test('share the calls', async () => {
    upstream.answer(good)
    for (let n = 0; n < 60; n++) await (await gateway.call(wholePath(), ask(), { key })).text()
    expect([...new Set(usedKeys())].sort()).toEqual([...PROVIDER_KEYS].sort())
  })

  test.each([401, 403, 429, 500])(
    '%i on one: the other serves, and the first is left alone',
    async (status) => {
      upstream.answer((seen) =>
        seen.headers['x-goog-api-key'] === PROVIDER_KEYS[0] ? refusal(status) : whole(answer()),
      )
      for (let n = 0; n < 20; n++) {
        const response = await gateway.call(wholePath(), ask(), { key })
        expect(response.status).toBe(200)
        await response.text()
      }
      expect(usedKeys().filter((used) => used === PROVIDER_KEYS[0])).toHaveLength(1)
      await gateway.atRest()
    },
  )
})
