// spec.md, "502 UNAVAILABLE: Upstream gateway failure": what the caller sees of each failure, and that it costs nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { catalogueOf, UPSTREAM_MODEL } from '../support/catalogue.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { answer, ask, nativeError, refusalOf, streamPath, wholePath } from '../support/native.ts'
import {
  type Answer,
  events,
  refusal,
  type Script,
  startUpstream,
  type Upstream,
  whole,
} from '../support/upstream.ts'
import { expectNoLeak, FAILURES, leaky, patienceWith } from './failing.ts'

let upstream: Upstream
let gateway: TestGateway
let key: string
let clock_ms = Date.now()

beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startTestGateway({ upstream, now: () => clock_ms })
  key = await gateway.caller('100')
})
afterAll(async () => {
  await gateway.stop()
  await upstream[Symbol.asyncDispose]()
})
beforeEach(async () => {
  clock_ms += 3_600_000
  upstream.seen.length = 0
  await gateway.recatalogue(catalogueOf({ upstream_url: upstream.url }))
})

const PATHS = [wholePath(), streamPath()]
const good: Script = (seen) => (seen.path.includes(':stream') ? events([answer()]) : whole(answer()))

describe('each failure of a vendor: what the caller sees, and that it costs nothing', () => {
  test.each(
    FAILURES.flatMap(([what, script, code, status]) =>
      PATHS.map((path) => [what, path, script, code, status] as const),
    ),
  )('%s, %s', async (what, path, script, code, status) => {
    await gateway.recatalogue(catalogueOf({ upstream_url: upstream.url, provider: patienceWith(what) }))
    const before = gateway.rows()
    upstream.answer(script)
    const response = await gateway.call(path, ask(), { key })
    const seen = await refusalOf(response)
    expect([seen.status, seen.body]).toEqual([code, nativeError(code, status)])
    expectNoLeak(JSON.stringify([seen.body, [...response.headers]]))
    expect(upstream.seen).toHaveLength(1)
    const after = await gateway.atRest()
    expect(after.entries).toEqual(before.entries)
    expect(after.accounts).toEqual(before.accounts)
    expect(after.calls.at(-1)).toMatchObject({ outcome: 'failed', status: code, cost_nanos: 0, price: '' })
    expect(after.holds.at(-1)?.state).toBe('voided')
    expectNoLeak(gateway.log.text())
  })

  const NO_ANSWERS: [string, Answer][] = [
    ['no JSON', whole('Hello')],
    ['JSON cut short', whole('{"candidates":[{"content"')],
    ['null', whole('null')],
    ['a number', whole('7')],
    ['a string', whole('"Hello"')],
    ['an array', whole('[]')],
    [
      'a body that breaks off',
      { headers: { 'content-length': '100000' }, steps: [{ send: '{"candidates":' }, 'reset'] },
    ],
    ['an error under a status of 200', whole(leaky(500, 'INTERNAL'))],
  ]
  test.each(NO_ANSWERS)('200 with %s is no whole answer', async (_, script) => {
    upstream.answer(script)
    const seen = await refusalOf(await gateway.call(wholePath(), ask(), { key }))
    expect([seen.status, seen.body]).toEqual([502, nativeError(502, 'UNAVAILABLE')])
    expectNoLeak(JSON.stringify(seen.body))
    const { calls } = await gateway.atRest()
    expect(calls.at(-1)).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })

  test('the vendor’s words about a request are passed on, without what only the operator may know', async () => {
    upstream.answer(refusal(400, leaky(400, 'INVALID_ARGUMENT', 'temperature must be at most 2')))
    const { message } = await refusalOf(await gateway.call(wholePath(), ask(), { key }))
    expect(message).toStartWith('temperature must be at most 2: ')
    expectNoLeak(message)
  })

  test('a vendor’s long words are cut', async () => {
    upstream.answer(refusal(400, { error: { message: 'x'.repeat(100_000) } }))
    const { message } = await refusalOf(await gateway.call(wholePath(), ask(), { key }))
    expect(message.length).toBeLessThanOrEqual(500)
  })

  test.each([
    ['Retry-After', refusal(429, {}, { 'retry-after': '17' })],
    [
      'RetryInfo',
      refusal(429, {
        error: {
          message: 'Quota',
          details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '16.2s' }],
        },
      }),
    ],
  ])('a vendor’s 429 is told with when to come back: %s', async (_, script) => {
    upstream.answer(script)
    const response = await gateway.call(wholePath(), ask(), { key })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '17'])
  })

  test('a vendor that nobody listens for: 502', async () => {
    const gone = await startUpstream()
    await gone[Symbol.asyncDispose]()
    await gateway.recatalogue(catalogueOf({ upstream_url: gone.url }))
    const response = await gateway.call(wholePath(), ask(), { key })
    expect((await refusalOf(response)).body).toEqual(nativeError(502, 'UNAVAILABLE'))
    expect(gateway.log.text()).not.toContain(new URL(gone.url).host)
    await gateway.atRest()
  })
})

test('the vendor’s own name of the model is asked for, and none of the routes is in an answer’s headers', async () => {
  upstream.answer(good)
  const response = await gateway.call(wholePath(), ask(), { key })
  expect(upstream.last().path).toContain(UPSTREAM_MODEL)
  expect(JSON.stringify([...response.headers])).not.toContain(UPSTREAM_MODEL)
})
