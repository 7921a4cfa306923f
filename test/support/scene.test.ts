// Tests of the scene: its calls are real, its upstream follows the script, and its checks can fail.
import { describe, expect, test } from 'bun:test'
import { MODEL, UPSTREAM_MODEL } from './catalogue.ts'
import { answer, ask, payloadsOf, piece, streamPath, usage, wholePath } from './native.ts'
import { scene } from './scene.ts'
import { eventBytes, events, heldBack, RESET, splitAt, stream, whole } from './upstream.ts'

describe('a scene', () => {
  test('makes a paid call, and gives access to the upstream request and the books', async () => {
    await using s = await scene({ script: whole(answer()) })
    const response = await s.call(wholePath(), ask())
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(answer())
    expect(s.upstream.last().path).toBe(`/v1beta/models/${UPSTREAM_MODEL}:generateContent`)
    expect(s.upstreamBody()).toEqual(ask())
    expect(await s.lastCall()).toMatchObject({
      model: MODEL,
      cost_nanos: 10 * 1_000 + 5 * 4_000,
      outcome: 'completed',
    })
  })

  test('streams, splits, waits, notifies and breaks', async () => {
    await using s = await scene()
    const streamed = async () => (await s.call(streamPath(), ask())).text()
    s.upstream.answer(events([answer()]))
    const plain = await streamed()
    expect(plain).toBe(eventBytes(answer()).toString())
    const notified = Promise.withResolvers<void>()
    const [head, tail] = [plain.slice(0, 3), plain.slice(3)]
    s.upstream.answer(
      stream({ send: head }, { tell: notified.resolve }, { wait: notified.promise }, ...splitAt(tail, 40)),
    )
    expect(await streamed()).toBe(plain)
    s.upstream.answer(RESET)
    expect((await s.call(streamPath(), ask())).status).toBe(502)
    await s.gateway.rest()
  })

  test('knows when its upstream gets a request', async () => {
    await using s = await scene()
    const { script, received, release } = heldBack(whole(answer()))
    s.upstream.answer(script)
    const call = s.call(wholePath(), ask())
    await received
    expect((await s.upstream.waitForRequest(1)).body.toString()).toBe(JSON.stringify(ask()))
    release()
    expect((await call).status).toBe(200)
  })

  test('resets a connection only after the gateway has read the bytes sent before', async () => {
    await using s = await scene()
    const first = piece('Hello', { usageMetadata: usage(10, 2) })
    for (let round = 0; round < 20; round += 1) {
      s.upstream.answer(stream({ event: first }, 'reset'))
      const [read, error] = payloadsOf(await (await s.call(streamPath(), ask())).text())
      expect([read, error]).toEqual([first, { error: expect.objectContaining({ code: 502 }) }])
    }
    const { calls } = await s.gateway.atRest()
    expect(calls.map(({ cost_nanos }) => cost_nanos)).toEqual(Array(20).fill(10 * 1_000 + 2 * 4_000))
  })

  test('notices a pending hold', async () => {
    await using s = await scene({ script: stream({ event: { candidates: [] } }, 'hang') })
    const leaving = new AbortController()
    const response = await s.call(streamPath(), ask(), { signal: leaving.signal })
    expect(response.status).toBe(200)
    await s.gateway.written()
    expect(s.gateway.rows().holds.filter(({ state }) => state === 'pending')).toHaveLength(1)
    leaving.abort()
    await s.gateway.rest()
    await s.upstream.last().over
    expect(s.upstream.last().aborted).toBe(true)
  })
})
