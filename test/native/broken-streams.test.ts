// silent.md, "An upstream failure mid-stream is sent as a last record in the native shape, and the stream ends".
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { catalogueOf, MODEL } from '../support/catalogue.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import {
  ANSWER_NANOS,
  answer,
  ask,
  nativeError,
  payloadsOf,
  piece,
  streamPath,
  usage,
} from '../support/native.ts'
import { type Answer, startUpstream, stream, type Upstream } from '../support/upstream.ts'
import { expectNoLeak } from './failing.ts'

let upstream: Upstream
let gateway: TestGateway
let key: string
let clock_ms = Date.now()

beforeAll(async () => {
  upstream = await startUpstream()
  gateway = await startTestGateway({ upstream, now: () => clock_ms })
  key = await gateway.caller('100')
})
afterAll(async () => {
  await gateway.stop()
  await upstream[Symbol.asyncDispose]()
})
beforeEach(async () => {
  clock_ms += 3_600_000
  upstream.seen.length = 0
  await gateway.recatalogue(catalogueOf({ upstream_url: upstream.url }))
})

describe('"An upstream failure mid-stream is sent as a last record in the native shape, and the stream ends"', () => {
  const first = piece('Hello', { usageMetadata: usage(10, 2) })
  const BREAKS: [string, Answer][] = [
    ['the connection breaks', stream({ event: first }, 'reset')],
    ['the stream ends before its answer', stream({ event: first })],
    [
      'the vendor says so',
      stream(
        { event: first },
        { event: { error: { code: 503, message: 'vendor-secret-one', status: 'UNAVAILABLE' } } },
      ),
    ],
    [
      'the vendor says so in the same packet',
      stream({
        send: `data: ${JSON.stringify(first)}\r\n\r\ndata: ${JSON.stringify({ error: { code: 500, message: 'vendor-secret-one' } })}\r\n\r\n`,
      }),
    ],
    ['an event is cut', stream({ event: first }, { send: 'data: {"candidates"' })],
  ]
  test.each(BREAKS)('%s', async (_, script) => {
    upstream.answer(script)
    const text = await (await gateway.call(streamPath(), ask(), { key })).text()
    expect(payloadsOf(text)).toEqual([first, nativeError(502, 'UNAVAILABLE')])
    expectNoLeak(text)
    const { calls } = await gateway.atRest()
    expect(calls.at(-1)).toMatchObject({ outcome: 'broken', cost_nanos: 10 * 1_000 + 2 * 4_000 })
  })

  test.each(BREAKS)('in a JSON array it is the last element: %s', async (_, script) => {
    upstream.answer(script)
    const response = await gateway.call(`/v1beta/models/${MODEL}:streamGenerateContent`, ask(), { key })
    expect(await response.json()).toEqual([first, nativeError(502, 'UNAVAILABLE')])
    await gateway.atRest()
  })

  test('"broken with nothing delivered: voided"', async () => {
    upstream.answer(stream({ event: { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } } }))
    const text = await (await gateway.call(streamPath(), ask(), { key })).text()
    expect(payloadsOf(text)).toEqual([nativeError(502, 'UNAVAILABLE')])
    expect((await gateway.atRest()).calls.at(-1)).toMatchObject({
      outcome: 'broken',
      cost_nanos: 0,
      price: '',
    })
  })

  test('a connection that breaks after the answer’s last event breaks nothing', async () => {
    upstream.answer(stream({ event: answer() }, 'reset'))
    const text = await (await gateway.call(streamPath(), ask(), { key })).text()
    expect(payloadsOf(text)).toEqual([answer()])
    expect((await gateway.atRest()).calls.at(-1)).toMatchObject({
      outcome: 'completed',
      cost_nanos: ANSWER_NANOS,
    })
  })

  test('a vendor’s silence in the middle is ended by the idle time-out', async () => {
    await gateway.recatalogue(catalogueOf({ upstream_url: upstream.url, provider: 'idle_timeout_ms = 100' }))
    upstream.answer(stream({ event: first }, 'hang'))
    const call = gateway.call(streamPath(), ask(), { key })
    const response = await call
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    clock_ms += 101
    expect(payloadsOf(Buffer.from((await reader.read()).value ?? []).toString())).toEqual([
      nativeError(502, 'UNAVAILABLE'),
    ])
    await upstream.last().over
    expect(upstream.last().aborted).toBe(true)
    expect((await gateway.atRest()).calls.at(-1)).toMatchObject({ outcome: 'broken', cost_nanos: 18_000 })
  })
})
