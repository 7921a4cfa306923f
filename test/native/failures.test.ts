// spec.md, Errors, Native generation endpoints: 502 UNAVAILABLE, each failure in the caller's view, free of charge.
import { beforeEach, describe, expect, test } from 'bun:test'
import { catalogueOf, UPSTREAM_MODEL } from '../support/catalogue.ts'
import { answering, ask, nativeError, refusalOf, streamPath, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { type Answer, refusal, startUpstream, whole } from '../support/upstream.ts'
import { expectNoLeak, FAILURES, leaky, timeoutsFor } from './provider-failures.ts'

/** Each test begins an hour later, so that no key is in a cooldown. */
let offset_ms = 0
const { gateway, upstream, call, recatalogue } = await fileScene({ now: () => Date.now() + offset_ms })
beforeEach(async () => {
  offset_ms += 3_600_000
  upstream.requests.length = 0
  await recatalogue()
})

const PATHS = [wholePath(), streamPath()]

describe('each failure of a provider reaches the caller without secrets, and costs nothing', () => {
  test.each(
    FAILURES.flatMap(([what, script, code, status]) =>
      PATHS.map((path) => [what, path, script, code, status] as const),
    ),
  )('%s, %s', async (what, path, script, code, status) => {
    await recatalogue({ provider: timeoutsFor(what) })
    const before = gateway.rows()
    const logged = gateway.log.written().length
    upstream.answer(script)
    const response = await call(path, ask())
    const seen = await refusalOf(response)
    expect([seen.status, seen.body]).toEqual([code, nativeError(code, status)])
    expectNoLeak(JSON.stringify([seen.body, [...response.headers]]))
    expect(upstream.requests).toHaveLength(1)
    const after = await gateway.atRest()
    expect(after.entries).toEqual(before.entries)
    expect(after.accounts).toEqual(before.accounts)
    expect(after.calls.at(-1)).toMatchObject({ outcome: 'failed', status: code, cost_nanos: 0, price: '' })
    expect(after.holds.at(-1)?.state).toBe('voided')
    expectNoLeak(gateway.log.written().slice(logged).join(''))
  })

  const NO_ANSWERS: [string, Answer][] = [
    ['no JSON', whole('Hello')],
    ['JSON that is cut short', whole('{"candidates":[{"content"')],
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
  test.each(NO_ANSWERS)('200 with %s is a failure', async (_, script) => {
    upstream.answer(script)
    const seen = await refusalOf(await call(wholePath(), ask()))
    expect([seen.status, seen.body]).toEqual([502, nativeError(502, 'UNAVAILABLE')])
    expectNoLeak(JSON.stringify(seen.body))
    const { calls } = await gateway.atRest()
    expect(calls.at(-1)).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })

  test('a provider’s message about the request is passed on, without its key and its address', async () => {
    upstream.answer(refusal(400, leaky(400, 'INVALID_ARGUMENT', 'temperature must be at most 2')))
    const { message } = await refusalOf(await call(wholePath(), ask()))
    expect(message).toStartWith('temperature must be at most 2: ')
    expectNoLeak(message)
  })

  test('a long message of a provider is cut to 500 characters', async () => {
    upstream.answer(refusal(400, { error: { message: 'x'.repeat(100_000) } }))
    const { message } = await refusalOf(await call(wholePath(), ask()))
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
  ])('a provider’s 429 keeps its waiting time as Retry-After: %s', async (_, script) => {
    upstream.answer(script)
    const response = await call(wholePath(), ask())
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '17'])
  })

  test('a provider that does not listen: 502', async () => {
    const stopped = await startUpstream()
    await stopped[Symbol.asyncDispose]()
    await gateway.recatalogue(catalogueOf({ upstream_url: stopped.url }))
    const response = await call(wholePath(), ask())
    expect((await refusalOf(response)).body).toEqual(nativeError(502, 'UNAVAILABLE'))
    expect(gateway.log.text()).not.toContain(new URL(stopped.url).host)
    await gateway.rest()
  })
})

test('the request has the provider’s own name of the model, and so has a header of the answer', async () => {
  upstream.answer(answering)
  const response = await call(wholePath(), ask())
  expect(upstream.last().path).toContain(UPSTREAM_MODEL)
  expect(response.headers.get('x-tollgate-upstream-model')).toBe(UPSTREAM_MODEL)
})
