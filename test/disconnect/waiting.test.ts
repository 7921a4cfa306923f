// Stalled streams: a caller who stops reading, and a long silence that is within the limits. (A stream whose upstream
// falls silent for too long is a column of matrix.test.ts.)
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connectSocket } from '../support/socket-client.ts'
import { type Answer, eventBytes, type Step, stream } from '../support/upstream.ts'
import {
  callRaw,
  disconnectScene,
  expectSettledOnce,
  priceOf,
  type RawCall,
  REFUSAL,
  stepsAround,
} from './support.ts'

setDefaultTimeout(60_000)

const MIB = 1024 * 1024
/** More than the socket buffers of two connections take of one stream: 33 MiB were seen on a busy machine. */
const MAX_IN_FLIGHT = 40 * MIB
const STREAM_BYTES = 64 * MIB
const END = {
  candidates: [{ finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 9 },
}

/** A stream of this many bytes of text, and the part of it that the upstream could send until now. */
function largeStream(bytes: number) {
  const packet = eventBytes({ candidates: [{ content: { parts: [{ text: 'word '.repeat(13_000) }] } }] })
  const sent = { bytes: 0, packets: Math.ceil(bytes / packet.length) }
  const step: Step = {
    get send() {
      sent.bytes += packet.length
      return packet
    },
  }
  return { sent, answer: stream(...Array(sent.packets).fill(step), { event: END }) }
}

const UNCHANGED_MS = 300

/**
 * Waits until the upstream can send no more. Nothing announces that, so its count is looked at again after a while; a look
 * that came too early would make the test weaker, not fail it.
 */
async function untilBlocked(sent: { bytes: number }): Promise<void> {
  for (let last = -1; last !== sent.bytes; ) {
    last = sent.bytes
    await Bun.sleep(UNCHANGED_MS)
  }
}

describe.concurrent('a caller who does not read', () => {
  test('holds the upstream back, and gets all of the stream when they read on', async () => {
    await using s = await disconnectScene()
    const { sent, answer } = largeStream(STREAM_BYTES)
    s.upstream.answer(answer)
    const { key, client } = await callRaw(s, true)
    await client.waitForText('word')
    client.pause()
    await untilBlocked(sent)
    expect(sent.bytes).toBeLessThan(MAX_IN_FLIGHT)
    client.resume()
    await client.closed
    expect(client.received().match(/"parts"/g)).toHaveLength(sent.packets)
    expect(client.received()).toContain('STOP')
    const cost = { cost_nanos: 10 * 1_000 + 9 * 4_000, estimated: 0 }
    await expectSettledOnce(s, key, { ...cost, outcome: 'completed', status: 200 })
  })

  test('counts as disconnected after the time-out: cut off, charged for the part that was sent, the upstream call aborted', async () => {
    await using s = await disconnectScene({ server: 'stalled_reader_timeout_ms = 1000' })
    s.upstream.answer(largeStream(STREAM_BYTES).answer)
    const { key, client } = await callRaw(s, true)
    await client.waitForText('word')
    client.pause()
    const seen = s.upstream.last()
    await seen.over
    expect(seen.aborted).toBe(true)
    client.resume()
    await client.closed
    expect(client.received()).not.toContain('STOP')
    await expectSettledOnce(s, key, { outcome: 'cancelled', status: 499, estimated: 1 })
  })
})

describe.concurrent('a long silence of the upstream', () => {
  test('cuts no call, though it cuts an idle connection; after the call its connection is idle, too', async () => {
    // The runtime looks at its sockets every four seconds: twice that is the shortest limit that holds.
    await using s = await disconnectScene({ socket_idle_timeout_s: 8 })
    const silence = Promise.withResolvers<void>()
    const pause: Step = { wait: silence.promise }
    const { until: before, after } = stepsAround({ whole_events: 1, half: false, sees: undefined }, true)
    const whole = { ...REFUSAL, usageMetadata: END.usageMetadata }
    const answers: Answer[] = [
      { headers: { 'content-type': 'application/json' }, steps: [pause, { send: JSON.stringify(whole) }] },
      stream(pause, ...before, ...after),
      stream(...before, pause, ...after),
    ]
    s.upstream.answer((_, index) => answers[index] ?? stream())
    const calls: RawCall[] = []
    for (const index of answers.keys()) {
      calls.push(await callRaw(s, index > 0, { connection: 'keep-alive' }))
      await s.upstream.waitForRequest(index + 1)
    }
    const idle = await connectSocket(s.gateway.url)
    idle.send('GET /healthz HTTP/1.1\r\nhost: gateway.test\r\n\r\n')
    await idle.closed
    expect(idle.received()).toContain('200 OK')
    silence.resolve()

    for (const [index, { client }] of calls.entries())
      await client.waitForText(index === 0 ? '}}' : '\r\n0\r\n\r\n')
    // Kept open for the next call, and cut when none comes.
    await Promise.all(calls.map(({ client }) => client.closed))
    for (const { key } of calls)
      await expectSettledOnce(s, key, { ...priceOf(4, true), outcome: 'completed', status: 200 })
  })
})
