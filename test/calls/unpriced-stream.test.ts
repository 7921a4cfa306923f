// A stream whose charge cannot be computed because of a bug in the gateway.
import { expect, test } from 'bun:test'
import type { Protocol, StreamReading } from '../../src/protocols/protocol.ts'
import { BUILT_IN_PROTOCOLS, registryOf } from '../../src/protocols/registry.ts'
import { answer, answering, ask, piece, streamPath, wholePath } from '../support/native.ts'
import { fileScene } from '../support/scene.ts'
import { stream } from '../support/upstream.ts'

const { gemini, anthropic, openai } = BUILT_IN_PROTOCOLS

function failingUsage(): StreamReading {
  const reading = gemini.text.stream.open()
  reading.usage = () => {
    throw new TypeError('a bug in the reading of usage')
  }
  return reading
}

const broken: Protocol = { ...gemini, text: { ...gemini.text, stream: { open: failingUsage } } }
const { gateway, upstream, call } = await fileScene({
  protocols: registryOf([broken, anthropic, openai]),
  more: '[limits.account]\nconcurrent_calls = 1',
})

const unpriced = () =>
  gateway.log.waitForLine(
    ({ level, message }) => level === 'error' && message === 'a stream could not be priced',
  )

test('an unpriced stream whose caller disconnects is logged, its hold is voided, and the next call is admitted', async () => {
  upstream.answer(stream({ event: piece('Once upon a time') }, 'hang'))
  const leaving = new AbortController()
  const response = await call(streamPath(), ask(), { signal: leaving.signal })
  await response.body?.getReader().read()
  leaving.abort()
  expect(await unpriced()).toMatchObject({ request_id: response.headers.get('x-request-id') })
  const { holds } = await gateway.atRest()
  expect(holds.at(-1)).toMatchObject({ state: 'voided' })
  upstream.answer(answering)
  expect((await call(wholePath(), ask())).status).toBe(200)
})

test('an unpriced stream is interrupted at its end, and nothing is charged', async () => {
  upstream.answer(stream({ event: answer('The end.') }))
  const text = await (await call(streamPath(), ask())).text()
  expect(text).toContain('"code":500')
  const { calls } = await gateway.atRest()
  expect(calls.at(-1)).toMatchObject({ outcome: 'broken', cost_nanos: 0 })
})
