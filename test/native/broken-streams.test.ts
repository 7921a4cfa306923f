// silent.md, Native: "an upstream failure mid-stream is sent as a last record … in the native shape, and the stream ends".
import { beforeEach, describe, expect, test } from 'bun:test'
import { PROVIDER_KEYS } from '../support/catalogue.ts'
import {
  ANSWER_NANOS,
  answer,
  arrayPath,
  ask,
  nativeError,
  payloadsOf,
  piece,
  streamPath,
  usage,
} from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { type Answer, stream } from '../support/upstream.ts'
import { expectNoLeak } from './provider-failures.ts'

/** Each test begins an hour later, so that no key is in a cooldown. */
let offset_ms = 0
const { gateway, upstream, call, recatalogue } = await fileScene({ now: () => Date.now() + offset_ms })
beforeEach(async () => {
  offset_ms += 3_600_000
  upstream.requests.length = 0
  await recatalogue()
})

describe('"an upstream failure mid-stream is sent as a last record … in the native shape, and the stream ends"', () => {
  const first = piece('Hello', { usageMetadata: usage(10, 2) })
  const BREAKS: [string, Answer][] = [
    ['the connection breaks', stream({ event: first }, 'reset')],
    ['the stream ends before its answer', stream({ event: first })],
    [
      'the provider reports an error',
      stream(
        { event: first },
        { event: { error: { code: 503, message: PROVIDER_KEYS[0], status: 'UNAVAILABLE' } } },
      ),
    ],
    [
      'the provider reports an error in the same packet',
      stream({
        send: `data: ${JSON.stringify(first)}\r\n\r\ndata: ${JSON.stringify({ error: { code: 500, message: PROVIDER_KEYS[0] } })}\r\n\r\n`,
      }),
    ],
    ['an event is cut short', stream({ event: first }, { send: 'data: {"candidates"' })],
  ]
  test.each(BREAKS)('%s', async (_, script) => {
    upstream.answer(script)
    const text = await (await call(streamPath(), ask())).text()
    expect(payloadsOf(text)).toEqual([first, nativeError(502, 'UNAVAILABLE')])
    expectNoLeak(text)
    const { calls } = await gateway.atRest()
    expect(calls.at(-1)).toMatchObject({ outcome: 'broken', cost_nanos: 10 * 1_000 + 2 * 4_000 })
  })

  test.each(BREAKS)('in a JSON array the error is the last element: %s', async (_, script) => {
    upstream.answer(script)
    const response = await call(arrayPath(), ask())
    expect(await response.json()).toEqual([first, nativeError(502, 'UNAVAILABLE')])
    await gateway.rest()
  })

  test('"An upstream that breaks with nothing delivered: voided"', async () => {
    upstream.answer(stream({ event: { error: { code: 503, message: 'Overloaded', status: 'UNAVAILABLE' } } }))
    const response = await call(streamPath(), ask())
    expect([response.status, await response.json()]).toEqual([502, nativeError(502, 'UNAVAILABLE')])
    expect(await gateway.lastCall()).toMatchObject({
      outcome: 'failed',
      cost_nanos: 0,
      price: '',
    })
  })

  test('a connection that breaks after the finish reason breaks nothing', async () => {
    upstream.answer(stream({ event: answer() }, 'reset'))
    const text = await (await call(streamPath(), ask())).text()
    expect(payloadsOf(text)).toEqual([answer()])
    expect(await gateway.lastCall()).toMatchObject({
      outcome: 'completed',
      cost_nanos: ANSWER_NANOS,
    })
  })

  test('a silence in the middle is ended by the idle time-out', async () => {
    await recatalogue({ provider: 'idle_timeout_ms = 100' })
    upstream.answer(stream({ event: first }, 'hang'))
    const response = await call(streamPath(), ask())
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    expect(payloadsOf(Buffer.from((await reader.read()).value ?? []).toString())).toEqual([
      nativeError(502, 'UNAVAILABLE'),
    ])
    await upstream.last().over
    expect(upstream.last().aborted).toBe(true)
    expect(await gateway.lastCall()).toMatchObject({ outcome: 'broken', cost_nanos: 18_000 })
  })
})
