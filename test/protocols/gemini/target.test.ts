// Where a call goes at a provider.
import { expect, test } from 'bun:test'
import { gemini } from '../../../src/protocols/gemini/index.ts'

const call = { model: 'gemini-2.5-flash', api_key: 'upstream-key' }

test('a whole answer', () => {
  expect(gemini.text.target({ ...call, streams: false })).toEqual({
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    headers: { 'x-goog-api-key': 'upstream-key' },
  })
})

test('a stream is always asked for as server-sent events', () => {
  expect(gemini.text.target({ ...call, streams: true }).path).toBe(
    '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
  )
})

test('the key never stands in the path', () => {
  for (const streams of [true, false]) {
    expect(gemini.text.target({ ...call, streams }).path).not.toContain('upstream-key')
  }
})

test('a provider that needs no key is sent none', () => {
  expect(gemini.text.target({ ...call, api_key: '', streams: false }).headers).toEqual({})
})

test('a model id cannot change the path or the query', () => {
  expect(gemini.text.target({ ...call, model: 'a?b#c d/e', streams: false }).path).toBe(
    '/v1beta/models/a%3Fb%23c%20d/e:generateContent',
  )
})
