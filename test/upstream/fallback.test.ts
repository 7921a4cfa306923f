// Fallback, through the native surface: which failures go to the next route or key, and how long a failing key stays in cooldown.
import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { FAILURES, leaky, timeoutsFor } from '../native/provider-failures.ts'
import { MODEL, PROVIDER, PROVIDER_KEYS } from '../support/catalogue.ts'
import {
  ANSWER_NANOS,
  answer,
  answering,
  ask,
  nativeError,
  payloadsOf,
  piece,
  streamPath,
  usage,
  wholePath,
} from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { modelSection, providerSection } from '../support/sections.ts'
import { eventBytes, refusal, SILENCE, splitAt, startUpstream, stream, whole } from '../support/upstream.ts'

let clock_ms = Date.now()
const { gateway, upstream, call, recatalogue } = await fileScene({ now: () => clock_ms })
/** The provider behind the second route. */
const second = await startUpstream()
afterAll(() => second[Symbol.asyncDispose]())
beforeEach(() => {
  clock_ms += 3_600_000
  upstream.requests.length = 0
  second.requests.length = 0
})

const PATHS = [wholePath(), streamPath()]

/** A catalogue whose model has two routes: the usual provider, and after it `spare`. @param rest lines of the first */
const twoRoutes = (rest = '') => `
[server]
log_level = "debug"
${providerSection(PROVIDER, 'gemini', upstream.url, rest)}
${providerSection('spare', 'gemini', second.url, '', [PROVIDER_KEYS[1]])}
${modelSection(MODEL, { [PROVIDER]: 'first', spare: 'second' })}
`

describe('failures before the first byte go to the next route', () => {
  const TRIED_ELSEWHERE = FAILURES.filter(([, , code]) => code !== 400)
  beforeEach(async () => {
    await gateway.recatalogue(twoRoutes())
    second.answer(answering)
  })

  test.each(TRIED_ELSEWHERE.flatMap(([what, script]) => PATHS.map((path) => [what, path, script] as const)))(
    '%s, %s',
    async (what, path, script) => {
      await gateway.recatalogue(twoRoutes(timeoutsFor(what)))
      upstream.answer(script)
      const response = await call(path, ` ${JSON.stringify(ask())}`)
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

  test('a fault of the request goes to no other route', async () => {
    upstream.answer(refusal(400, leaky(400, 'INVALID_ARGUMENT')))
    expect((await call(wholePath(), ask())).status).toBe(400)
    expect(second.requests).toEqual([])
  })

  test('when every route fails, the call fails, after one attempt at each', async () => {
    upstream.answer(refusal(500))
    second.answer(refusal(503))
    expect((await call(wholePath(), ask())).status).toBe(502)
    expect([upstream.requests.length, second.requests.length]).toEqual([1, 1])
    await gateway.rest()
  })

  test.each([
    ['an error as the first event', stream({ event: leaky(503, 'UNAVAILABLE') })],
    ['the same after comments', stream({ send: ': wait\n\n' }, { event: leaky(503, 'UNAVAILABLE') })],
    ['the same in several packets', stream(...splitAt(eventBytes(leaky(500, 'INTERNAL')), 3, 9, 40))],
    [
      'an error behind an event without output, in one packet',
      stream({
        send: Buffer.concat([{ responseId: 'x' }, leaky(429, 'RESOURCE_EXHAUSTED')].map(eventBytes)),
      }),
    ],
    ['an event that cannot be read and mentions an error', stream({ send: 'data: {"error":{\n\n' })],
    ['a first event that is never completed', stream({ send: 'data: {"candi' }, 'reset')],
    ['comments, and no event', stream({ send: ': wait\n\n' })],
  ])('so does a stream that begins with %s', async (_, script) => {
    upstream.answer(script)
    const response = await call(streamPath(), ask())
    expect([response.status, payloadsOf(await response.text())]).toEqual([200, [answer()]])
    const { calls } = await gateway.atRest()
    expect(calls.at(-1)).toMatchObject({ provider: 'spare', cost_nanos: ANSWER_NANOS, outcome: 'completed' })
  })

  test('a stream that begins with a fault of the request goes to no other route', async () => {
    upstream.answer(stream({ event: leaky(400, 'INVALID_ARGUMENT', 'topP is odd') }))
    const response = await call(streamPath(), ask())
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { status: 'INVALID_ARGUMENT', message: expect.stringContaining('topP is odd') } },
    ])
    expect(second.requests).toEqual([])
    expect(await gateway.lastCall()).toMatchObject({ outcome: 'failed', cost_nanos: 0 })
  })

  test('an error behind output in the same packet goes to no other route: the output is delivered', async () => {
    const packet = Buffer.concat([piece('Hello'), leaky(503, 'UNAVAILABLE')].map(eventBytes))
    upstream.answer(stream({ send: packet }))
    const records = payloadsOf(await (await call(streamPath(), ask())).text())
    expect(records).toEqual([piece('Hello'), nativeError(502, 'UNAVAILABLE')])
    expect(second.requests).toEqual([])
    await gateway.rest()
  })

  test('nothing is tried again after the first byte', async () => {
    upstream.answer(stream({ event: piece('Hello', { usageMetadata: usage(10, 2) }) }, 'reset'))
    const response = await call(streamPath(), ask())
    const records = payloadsOf(await response.text())
    expect(records).toEqual([
      piece('Hello', { usageMetadata: usage(10, 2) }),
      nativeError(502, 'UNAVAILABLE'),
    ])
    expect(second.requests).toEqual([])
    const { calls } = await gateway.atRest()
    expect(calls.at(-1)).toMatchObject({
      outcome: 'broken',
      provider: PROVIDER,
      cost_nanos: 10 * 1_000 + 2 * 4_000,
    })
  })

  test('nothing is tried again after a disconnect: the caller pays for the input of the attempt under way', async () => {
    upstream.answer(SILENCE)
    const leaving = new AbortController()
    const answer = call(wholePath(), ask(), { signal: leaving.signal })
    await upstream.waitForRequest(1)
    leaving.abort()
    await expect(answer).rejects.toThrow()
    await upstream.last().over
    expect(await gateway.lastCall()).toMatchObject({
      outcome: 'cancelled',
      status: 499,
      estimated: 1,
      // Ten characters: three tokens.
      cost_nanos: 3 * 1_000,
      provider: PROVIDER,
    })
    expect(second.requests).toEqual([])
  })

  test('a failing key has a cooldown, and serves again after it', async () => {
    await gateway.recatalogue(twoRoutes('cooldown_ms = 10_000'))
    const send = async () => (await call(wholePath(), ask())).text()
    const counts = () => [upstream.requests.length, second.requests.length]
    upstream.answer(refusal(500))
    await send()
    expect(counts()).toEqual([1, 1])
    upstream.answer(answering)
    clock_ms += 9_999
    await send()
    expect(counts()).toEqual([1, 2])
    clock_ms += 1
    await send()
    expect(counts()).toEqual([2, 2])
  })

  test('a cooldown lasts as long as the provider asks, and longer after each failure', async () => {
    await gateway.recatalogue(twoRoutes('cooldown_ms = 10_000'))
    const send = async () => (await call(wholePath(), ask())).text()
    upstream.answer(refusal(429, {}, { 'retry-after': '45' }))
    await send()
    clock_ms += 44_999
    await send()
    expect(upstream.requests).toHaveLength(1)
    clock_ms += 1
    upstream.answer(refusal(500))
    await send()
    expect(upstream.requests).toHaveLength(2)
    clock_ms += 19_999
    await send()
    expect(upstream.requests).toHaveLength(2)
    clock_ms += 1
    upstream.answer(answering)
    await send()
    expect(upstream.requests).toHaveLength(3)
  })
})

describe('several keys of one provider', () => {
  beforeEach(async () => {
    await recatalogue({ api_keys: PROVIDER_KEYS })
  })
  const usedKeys = () => upstream.requests.map(({ headers }) => headers['x-goog-api-key'] ?? '')

  test('share the calls', async () => {
    upstream.answer(answering)
    for (let n = 0; n < 12; n++) await (await call(wholePath(), ask(`Session ${n}.`))).text()
    expect([...new Set(usedKeys())].sort()).toEqual([...PROVIDER_KEYS].sort())
  })

  test.each([401, 403, 429, 500])(
    '%i on one: the other serves, and the first is not tried again',
    async (status) => {
      upstream.answer((seen) =>
        seen.headers['x-goog-api-key'] === PROVIDER_KEYS[0] ? refusal(status) : whole(answer()),
      )
      for (let n = 0; n < 8; n++) {
        const response = await call(wholePath(), ask(`Session ${n}.`))
        expect(response.status).toBe(200)
        await response.text()
      }
      expect(usedKeys().filter((used) => used === PROVIDER_KEYS[0])).toHaveLength(1)
      await gateway.rest()
    },
  )
})
