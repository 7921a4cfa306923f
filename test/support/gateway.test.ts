// Proves the harness itself: that a scenario over it is a real call, and that what it asserts can fail.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { MODEL, UPSTREAM_MODEL } from './catalogue.ts'
import { startTestGateway, type TestGateway } from './gateway.ts'
import { events, RESET, splitAt, startUpstream, stream, type Upstream, whole } from './upstream.ts'

let upstream: Upstream
let gateway: TestGateway
beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startTestGateway({ upstream })
})
afterAll(async () => {
  await gateway.stop()
  await upstream[Symbol.asyncDispose]()
})

const BODY = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const ANSWER = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
}

describe('the harness', () => {
  test('makes a paid call, and shows the vendor and the books', async () => {
    upstream.answer(whole(ANSWER))
    const key = await gateway.caller()
    const response = await gateway.call(`/v1beta/models/${MODEL}:generateContent`, BODY, { key })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(ANSWER)
    expect(upstream.last().path).toBe(`/v1beta/models/${UPSTREAM_MODEL}:generateContent`)
    const { calls } = await gateway.atRest()
    expect(calls.at(-1)).toMatchObject({ cost_nanos: 10 * 1_000 + 5 * 4_000, outcome: 'completed' })
  })

  test('streams, splits, waits and breaks', async () => {
    const key = await gateway.caller()
    const call = () => gateway.call(`/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`, BODY, { key })
    upstream.answer(events([ANSWER]))
    const plain = await (await call()).text()
    expect(plain).toBe(`data: ${JSON.stringify(ANSWER)}\n\n`)
    upstream.answer(stream(...splitAt(plain, 3, 40), { wait: 5 }))
    expect(await (await call()).text()).toBe(plain)
    upstream.answer(RESET)
    expect((await call()).status).toBe(502)
    await gateway.atRest()
  })

  test('notices a hold that is left behind', async () => {
    const key = await gateway.caller()
    upstream.answer(stream({ event: { candidates: [] } }, 'hang'))
    const leaving = new AbortController()
    const path = `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`
    const response = await gateway.call(path, BODY, { key, signal: leaving.signal })
    expect(response.status).toBe(200)
    expect(gateway.rows().holds.filter(({ state }) => state === 'pending')).toHaveLength(1)
    leaving.abort()
    await gateway.atRest()
    await upstream.last().over
    expect(upstream.last().aborted).toBe(true)
  })
})
