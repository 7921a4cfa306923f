// silent.md, Streams whose caller left: "Who leaves after the request was sent (from the fetch call on, unless connecting failed)
// pays for the input at least"; and the calls that stay free.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { PROVIDER, PROVIDER_KEYS } from '../support/catalogue.ts'
import { streamPath, wholePath } from '../support/native.ts'
import { modelSection } from '../support/sections.ts'
import { refusal, SILENCE, type Step, stream } from '../support/upstream.ts'
import { BODY, disconnectScene, expectSettledOnce, FREE, priceOf } from './support.ts'

setDefaultTimeout(60_000)

const EMBEDDING = 'test-embedding'
const s = await disconnectScene({
  api_keys: PROVIDER_KEYS,
  provider: 'cooldown_ms = 0',
  more: modelSection(
    EMBEDDING,
    { [PROVIDER]: 'upstream-embedding' },
    { kind: 'embedding', price: 'input = 0.02' },
  ),
})
const draining = await disconnectScene({ server: 'on_disconnect = "drain"\ndrain_timeout_ms = 20000' })
afterAll(() => Promise.all([s, draining].map((opened) => opened[Symbol.asyncDispose]())))

const LEFT = { outcome: 'cancelled', status: 499 } as const
const INPUT = priceOf(0, false)

/** A caller disconnects once the upstream has seen this many requests. */
async function leaveAfter(
  { gateway, upstream }: typeof s,
  requests: number,
  { path = wholePath(), body = BODY as object, headers = {}, key = '' } = {},
) {
  const own = key || (await gateway.caller())
  const leaving = new AbortController()
  const left = gateway.call(path, body, { key: own, headers, signal: leaving.signal }).catch(() => 'left')
  const seen = await upstream.waitForRequest(requests)
  leaving.abort()
  expect(await left).toBe('left')
  return { key: own, seen }
}

describe('the input is charged', () => {
  test.each([
    ['whole', wholePath()],
    ['streamed', streamPath()],
  ])('%s: of the attempt under way, not of those that failed before', async (_kind, path) => {
    const before = s.upstream.requests.length
    s.upstream.answer((_, index) => (index === before ? refusal(503) : SILENCE))
    const { key, seen } = await leaveAfter(s, before + 2, { path })
    await seen.over
    await expectSettledOnce(s, key, { ...INPUT, ...LEFT, provider: PROVIDER })
  })

  test('of embeddings', async () => {
    s.upstream.answer(SILENCE)
    const input = 'x'.repeat(4_000)
    const { key } = await leaveAfter(s, s.upstream.requests.length + 1, {
      path: '/v1/embeddings',
      body: { model: EMBEDDING, input },
    })
    await expectSettledOnce(s, key, { ...LEFT, cost_nanos: 1_000 * 20, input_tokens: 1_000, estimated: 1 })
  })

  test('once for an Idempotency-Key: sent again it is refused, and nothing more is charged', async () => {
    s.upstream.answer(SILENCE)
    const headers = { 'idempotency-key': 'left-early' }
    const { key } = await leaveAfter(s, s.upstream.requests.length + 1, { headers })
    await s.gateway.rest()
    const again = await s.gateway.call(wholePath(), BODY, { key, headers })
    expect(again.status).toBe(409)
    expect(await again.text()).toContain(
      'was charged, but its answer is not available: it was interrupted, the client disconnected,',
    )
    await expectSettledOnce(s, key, { ...INPUT, ...LEFT })
  })
})

describe('"drain": a provider that breaks after its caller disconnected, with nothing delivered, is free', () => {
  const nothing: Step = { event: { candidates: [] } }
  test.each<[string, Step[]]>([
    ['resets the connection', ['reset']],
    ['ends its stream', []],
    ['reports an error', [{ event: { error: { code: 500, message: 'broken' } } }]],
  ])('%s', async (_what, steps) => {
    const noticed = Promise.withResolvers<void>()
    const arrived = Promise.withResolvers<void>()
    const { gateway, upstream, callers } = draining
    upstream.answer(stream(nothing, 'read', { tell: arrived.resolve }, { wait: noticed.promise }, ...steps))
    const left = callers.left.count
    const key = await gateway.caller()
    const leaving = new AbortController()
    void gateway.call(streamPath(), BODY, { key, signal: leaving.signal }).catch(() => 'left')
    await arrived.promise
    leaving.abort()
    await callers.left.reaches(left + 1)
    noticed.resolve()
    await expectSettledOnce(draining, key, { ...FREE, ...LEFT, streamed: 1 })
  })
})

describe('calls that stay free', () => {
  test('a time-out after the caller disconnected', async () => {
    await using hasty = await disconnectScene({
      server: 'on_disconnect = "drain"',
      provider: 'call_timeout_ms = 500',
      script: SILENCE,
    })
    const { key } = await leaveAfter(hasty, 1)
    await expectSettledOnce(hasty, key, { ...FREE, ...LEFT })
  })
})
