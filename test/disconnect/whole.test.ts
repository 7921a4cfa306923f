// silent.md, Streams whose caller left, for whole answers: nothing is delivered before all of it is, so a caller who disconnects pays
// for the input under `cancel`, and the usage reported at the end under `drain`.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { PROVIDER, PROVIDER_KEYS } from '../support/catalogue.ts'
import type { Departure } from '../support/socket-client.ts'
import { heldBack, RESET, refusal, type Script, SILENCE, whole } from '../support/upstream.ts'
import {
  callRaw,
  type DisconnectScene,
  disconnectScene,
  expectSettledOnce,
  FREE,
  priceOf,
  settlement,
} from './support.ts'

setDefaultTimeout(60_000)

const WAYS: Departure[] = ['close', 'reset', 'half-close']
const ANSWER = {
  candidates: [{ content: { parts: [{ text: 'Once upon a time, the end.' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 9 },
}
const { usageMetadata: _, ...WITHOUT_USAGE } = ANSWER
const LEFT = { outcome: 'cancelled', status: 499, streamed: 0 } as const

const cancelling = await disconnectScene({ api_keys: PROVIDER_KEYS })
const draining = await disconnectScene({ server: 'on_disconnect = "drain"', api_keys: PROVIDER_KEYS })
afterAll(() => Promise.all([cancelling, draining].map((opened) => opened[Symbol.asyncDispose]())))

/** A caller disconnects while the provider works; the provider answers once the gateway has noticed. */
async function leaveBefore(s: DisconnectScene, answer: Script, way: Departure) {
  const { script, received, release } = heldBack(answer)
  s.upstream.answer(script)
  const before = s.upstream.requests.length
  const left = s.callers.left.count
  const { key, client } = await callRaw(s, false)
  await received
  const seen = s.upstream.last()
  client.leave(way)
  await s.callers.left.reaches(left + 1)
  // Where the upstream is to be aborted, it must not answer before the abort has arrived.
  if (s === draining) release()
  await seen.over
  release()
  return { key, seen, attempts: () => s.upstream.requests.length - before }
}

describe.each(WAYS)('the caller of a whole answer disconnects before it, by %s', (way) => {
  test('cancel: the upstream call is aborted, and its input charged by estimate', async () => {
    const { key, seen } = await leaveBefore(cancelling, whole(ANSWER), way)
    expect(seen.aborted).toBe(true)
    await expectSettledOnce(cancelling, key, { ...priceOf(0, false), ...LEFT, provider: PROVIDER })
  })

  test('drain: the answer is awaited, and charged as reported', async () => {
    const { key, seen } = await leaveBefore(draining, whole(ANSWER), way)
    expect(seen.aborted).toBe(false)
    await expectSettledOnce(draining, key, { ...priceOf(4, true), ...LEFT })
  })

  test('drain, no usage: charged by an estimate of the answer', async () => {
    const { key } = await leaveBefore(draining, whole(WITHOUT_USAGE), way)
    await expectSettledOnce(draining, key, { ...priceOf(4, false), ...LEFT })
  })

  test.each([
    ['is reset', RESET],
    ['is refused', refusal(503)],
  ])('drain, and the attempt %s: nothing is charged, and no other route is tried', async (_what, answer) => {
    const { key, attempts } = await leaveBefore(draining, answer, way)
    await settlement(draining, key)
    expect(attempts()).toBe(1)
    await expectSettledOnce(draining, key, { ...FREE, ...LEFT })
  })
})

describe('a caller who disconnects leaves no trace', () => {
  test('before their body has come: no hold, no call', async () => {
    const { calls, holds } = cancelling.gateway.rows()
    const { arrived } = cancelling.callers
    const before = arrived.count
    const { client } = await callRaw(cancelling, false, { missing_bytes: 10 })
    await arrived.reaches(before + 1)
    client.leave('close')
    await cancelling.gateway.log.waitForLine(({ kind }) => kind === 'invalid_request')
    const after = await cancelling.gateway.atRest()
    expect(after.calls).toHaveLength(calls.length)
    expect(after.holds).toHaveLength(holds.length)
  })
})

describe('the time to drain is limited', () => {
  test('after it the upstream is aborted, and the input is charged', async () => {
    await using s = await disconnectScene({
      server: 'on_disconnect = "drain"\ndrain_timeout_ms = 100',
      script: SILENCE,
    })
    const { key, client } = await callRaw(s, false)
    const seen = await s.upstream.waitForRequest(1)
    client.leave('close')
    await seen.over
    expect(seen.aborted).toBe(true)
    await expectSettledOnce(s, key, { ...priceOf(0, false), ...LEFT })
  })
})
