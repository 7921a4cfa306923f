// silent.md, Streams whose caller left, for audio that is given out as bytes: it has no events, and ends where its body ends. What has
// come of it is charged by its duration, to the nano-dollar.
import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Answer, RESET, type Step } from '../support/upstream.ts'
import { type DisconnectScene, disconnectScene, expectSettledOnce, FREE, sendRaw } from './support.ts'
import { REQUESTS, surfaceModels, VOICE, wireOf } from './surfaces.ts'

setDefaultTimeout(60_000)

const options = { more: surfaceModels, provider: 'cooldown_ms = 0' }
const cancelling = await disconnectScene(options)
const draining = await disconnectScene({ ...options, server: 'on_disconnect = "drain"' })
afterAll(() => Promise.all([cancelling, draining].map((opened) => opened[Symbol.asyncDispose]())))

const REQUEST = REQUESTS.speech(VOICE, { response_format: 'pcm' })
/** What is to be said: 15 characters. */
const INPUT_NANOS = 15 * 15_000
/** The second that they usually take: what the provider makes of them, where nothing tells how much it was. */
const DEFAULT_NANOS = 100_000
/** A tenth of a second each, of 24,000 samples of two bytes a second. */
const PACKETS = ['a', 'b', 'c'].map((letter) => letter.repeat(4_800))
const PACKET_NANOS = 10_000
const ALL = PACKETS.length

const send = (packets: readonly string[]): Step[] => packets.flatMap((packet) => [{ send: packet }, 'read'])
const audio = (...steps: readonly Step[]): Answer => ({ headers: { 'content-type': 'audio/pcm' }, steps })

async function leaveAfter(s: DisconnectScene, packets: number) {
  const arrived = Promise.withResolvers<void>()
  const noticed = Promise.withResolvers<void>()
  const [before, after] = [PACKETS.slice(0, packets), PACKETS.slice(packets)]
  const { tell, wait } = { tell: arrived.resolve, wait: noticed.promise }
  s.upstream.answer(audio('read', ...send(before), { tell }, { wait }, ...send(after)))
  const left = s.callers.left.count
  const { key, client } = await sendRaw(s.gateway, await wireOf(REQUEST))
  await arrived.promise
  // The newest packet is held back: it may be the last.
  const given_out = PACKETS[packets - 2]
  if (given_out) await client.sees(given_out)
  const seen = s.upstream.last()
  client.leave('close')
  await s.callers.left.reaches(left + 1)
  if (s === draining) noticed.resolve()
  await seen.over
  noticed.resolve()
  return { key, seen }
}

const POINTS = Array.from({ length: ALL + 1 }, (_, packets) => packets)

describe.each(POINTS)('after %i of three packets', (packets) => {
  const cost_nanos = INPUT_NANOS + packets * PACKET_NANOS

  test('the caller leaves; cancel: what has come is charged, before that what is usual', async () => {
    const { key, seen } = await leaveAfter(cancelling, packets)
    expect(seen.aborted).toBe(true)
    const left_nanos = packets === 0 ? INPUT_NANOS + DEFAULT_NANOS : cost_nanos
    await expectSettledOnce(cancelling, key, {
      cost_nanos: left_nanos,
      outcome: 'cancelled',
      status: 499,
      streamed: 1,
    })
  })

  test('the caller leaves; drain: all of it is charged', async () => {
    const { key, seen } = await leaveAfter(draining, packets)
    expect(seen.aborted).toBe(false)
    await expectSettledOnce(draining, key, {
      cost_nanos: INPUT_NANOS + ALL * PACKET_NANOS,
      outcome: 'cancelled',
      status: 499,
      streamed: 1,
    })
  })

  test('the connection is reset: what has come is given out and charged, and the answer is cut off', async () => {
    cancelling.upstream.answer(
      packets === 0 ? RESET : audio('read', ...send(PACKETS.slice(0, packets)), 'reset'),
    )
    const { key, client } = await sendRaw(cancelling.gateway, await wireOf(REQUEST))
    await client.closed
    const received = client.received()
    if (packets === 0) {
      expect(received).toStartWith('HTTP/1.1 502 ')
      await expectSettledOnce(cancelling, key, { ...FREE, outcome: 'failed', status: 502 })
      return
    }
    expect(received).toStartWith('HTTP/1.1 200 ')
    expect(received).not.toEndWith('\r\n0\r\n\r\n')
    await expectSettledOnce(cancelling, key, { cost_nanos, outcome: 'broken', status: 200, streamed: 1 })
  })

  test('it ends: it is complete, or where nothing came, none', async () => {
    cancelling.upstream.answer(audio('read', ...send(PACKETS.slice(0, packets))))
    const { key, client } = await sendRaw(cancelling.gateway, await wireOf(REQUEST))
    await client.closed
    const expected =
      packets === 0
        ? { ...FREE, outcome: 'failed' as const, status: 502 }
        : { cost_nanos, outcome: 'completed' as const, status: 200 }
    expect(client.received()).toStartWith(`HTTP/1.1 ${expected.status} `)
    await expectSettledOnce(cancelling, key, { ...expected, streamed: 1 })
  })
})
