// silent.md, Streams whose caller left, for audio that is passed on as bytes: it has no events, and ends where its body ends. The part
// that came is charged by its duration, to the nano-dollar.
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
/** The text: 15 characters. */
const INPUT_NANOS = 15 * 15_000
/** The second that this text usually takes: charged where nothing tells how much the provider made. */
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
  const delivered = PACKETS[packets - 2]
  if (delivered) await client.waitForText(delivered)
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

  test('the caller disconnects; cancel: the part that came is charged, before the first packet the usual duration', async () => {
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

  test('the caller disconnects; drain: all of it is charged', async () => {
    const { key, seen } = await leaveAfter(draining, packets)
    expect(seen.aborted).toBe(false)
    await expectSettledOnce(draining, key, {
      cost_nanos: INPUT_NANOS + ALL * PACKET_NANOS,
      outcome: 'cancelled',
      status: 499,
      streamed: 1,
    })
  })

  test('the connection is reset: the part that came is passed on and charged, and the answer is cut off', async () => {
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

  test('the connection ends: the answer is complete, or a failure where nothing came', async () => {
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
