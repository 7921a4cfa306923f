// Those who stand still: a reader who stops reading, and a long wait that is nobody's fault. (An upstream that falls silent
// inside a stream is a column of matrix.test.ts.)
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { connectRaw, type RawClient } from '../support/raw-client.ts'
import { eventBytes, type Step, stream } from '../support/upstream.ts'
import { callRaw, expectSettledOnce, openScene, priceOf, stepsAround, until } from './scene.ts'

setDefaultTimeout(60_000)

const MIB = 1024 * 1024
/** What the system's socket buffers may take of one stream, on two connections, and some more. */
const MAX_IN_FLIGHT = 32 * MIB
const END = {
  candidates: [{ finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 9 },
}

/** A stream of this many bytes of text, and how much of it the vendor could send until now. */
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

/** Until the vendor can send no more. */
async function standstill(sent: { bytes: number }): Promise<void> {
  for (let last = -1; last !== sent.bytes; ) {
    last = sent.bytes
    await Bun.sleep(300)
  }
}

describe.concurrent('a caller who does not read', () => {
  test('holds back his upstream, and gets all of it when he reads on', async () => {
    await using scene = await openScene()
    const { sent, answer } = largeStream(2 * MAX_IN_FLIGHT)
    scene.upstream.answer(answer)
    const { key, client } = await callRaw(scene, true)
    await client.sees('word')
    client.pause()
    await standstill(sent)
    expect(sent.bytes).toBeLessThan(MAX_IN_FLIGHT)
    client.resume()
    await client.closed
    expect(client.received().match(/"parts"/g)).toHaveLength(sent.packets)
    expect(client.received()).toContain('STOP')
    const cost = { cost_nanos: 10 * 1_000 + 9 * 4_000, estimated: 0 }
    await expectSettledOnce(scene, key, { ...cost, outcome: 'completed', status: 200 })
  })

  test('is gone after the time-out: cut off, charged for what he was sent, his upstream aborted', async () => {
    await using scene = await openScene({ server: 'stalled_reader_timeout_ms = 1000' })
    scene.upstream.answer(largeStream(2 * MAX_IN_FLIGHT).answer)
    const { key, client } = await callRaw(scene, true)
    await client.sees('word')
    client.pause()
    const seen = scene.upstream.last()
    await seen.over
    expect(seen.aborted).toBe(true)
    client.resume()
    await client.closed
    expect(client.received()).not.toContain('STOP')
    await expectSettledOnce(scene, key, { outcome: 'cancelled', status: 499, estimated: 1 })
  })
})

describe.concurrent('a long silence of the upstream', () => {
  test('cuts no call, though it cuts a connection that is only open; afterwards the same limit holds again', async () => {
    // The runtime looks at its sockets every four seconds: twice that is the shortest that is kept.
    await using scene = await openScene({ socket_idle_timeout_s: 8 })
    const silence = Promise.withResolvers<void>()
    const silently: Step = { wait: silence.promise }
    const { until: before, after } = stepsAround({ whole_events: 1, half: false, sees: undefined }, true)
    const whole = { candidates: [], usageMetadata: END.usageMetadata }
    const answers = [
      { headers: { 'content-type': 'application/json' }, steps: [silently, { send: JSON.stringify(whole) }] },
      stream(silently, ...before, ...after),
      stream(...before, silently, ...after),
    ]
    scene.upstream.answer((_, index) => answers[index] ?? stream())
    const callers: { key: string; client: RawClient }[] = []
    for (const index of answers.keys()) {
      callers.push(await callRaw(scene, index > 0, 'keep-alive'))
      await until(() => scene.upstream.seen.length > index)
    }
    const idle = await connectRaw(scene.gateway.url)
    idle.send('GET /healthz HTTP/1.1\r\nhost: gateway.test\r\n\r\n')
    await idle.closed
    expect(idle.received()).toContain('200 OK')
    silence.resolve()

    for (const [index, { client }] of callers.entries())
      await client.sees(index === 0 ? '}}' : '\r\n0\r\n\r\n')
    // Kept alive for the next call, and cut when none comes.
    await Promise.all(callers.map(({ client }) => client.closed))
    for (const { key } of callers)
      await expectSettledOnce(scene, key, { ...priceOf(4, true), outcome: 'completed', status: 200 })
  })
})
