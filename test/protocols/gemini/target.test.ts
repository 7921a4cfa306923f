// Where a call goes at a provider.
import { expect, test } from 'bun:test'
import { gemini } from '../../../src/protocols/gemini/index.ts'

const call = { model: 'gemini-2.5-flash' }

test('a whole answer', () => {
  expect(gemini.text.target({ ...call, streams: false })).toEqual({
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    headers: {},
  })
})

test('a stream is always asked for as server-sent events', () => {
  expect(gemini.text.target({ ...call, streams: true }).path).toBe(
    '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
  )
})

test('a model id cannot change the path or the query', () => {
  expect(gemini.text.target({ ...call, model: 'a?b#c d/e', streams: false }).path).toBe(
    '/v1beta/models/a%3Fb%23c%20d/e:generateContent',
  )
})
