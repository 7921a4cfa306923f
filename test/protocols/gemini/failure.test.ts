// What a refusal of the vendor means for the call, the route and the key.
import { describe, expect, test } from 'bun:test'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import type { UpstreamFailure } from '../../../src/protocols/protocol.ts'
import { failures } from './recordings.ts'

const BLAME: Record<string, UpstreamFailure['blame']> = {
  'invalid argument with field violations': 'request',
  'key not valid': 'key',
  "location of the key's owner": 'key',
  'key missing': 'key',
  'cached content that is not there': 'request',
  'file that is not there': 'request',
  'model that is not there': 'broken',
  'quota with retry delay': 'busy',
  'quota of a stream, in an array': 'busy',
  internal: 'broken',
  overloaded: 'broken',
  deadline: 'broken',
  'page of something in between': 'broken',
}

const readFailure = (status: number, body: string, headers: Record<string, string> = {}) =>
  gemini.readFailure(status, new Headers(headers), body)

describe('recorded refusals', () => {
  test.each(failures().map((failure) => [failure.name, failure] as const))('%s', (name, failure) => {
    const body = typeof failure.body === 'string' ? failure.body : JSON.stringify(failure.body)
    expect(readFailure(failure.status, body, failure.headers).blame).toBe(BLAME[name] ?? 'request')
    expect(Object.keys(BLAME)).toContain(name)
  })
})

describe('the status alone, with an empty body', () => {
  test.each([
    [400, 'request'],
    [401, 'key'],
    [402, 'key'],
    [403, 'key'],
    [404, 'broken'],
    [408, 'broken'],
    [413, 'request'],
    [422, 'request'],
    [429, 'busy'],
    [500, 'broken'],
    [502, 'broken'],
    [503, 'broken'],
    [504, 'broken'],
    [529, 'broken'],
    [302, 'broken'],
  ] as const)('%i is %s', (status, blame) => {
    const failure = readFailure(status, '')
    expect(failure.blame).toBe(blame)
    expect(failure.message).toContain(String(status))
  })
})

describe('bodies', () => {
  test("the vendor's message is kept", () => {
    expect(readFailure(400, '{"error":{"message":"no such field"}}').message).toBe('no such field')
  })
  test.each([
    ['HTML', '<html>503</html>'],
    ['cut JSON', '{"error": {"code": 4'],
    ['an empty array', '[]'],
    ['null', 'null'],
    ['an error that is a word', '{"error":"bad"}'],
    ['details that are no list', '{"error":{"details":{"reason":"API_KEY_INVALID"}}}'],
    ['details of nonsense', '{"error":{"details":[null,1,{"reason":5}]}}'],
  ])('%s is understood by its status', (_name, body) => expect(readFailure(429, body).blame).toBe('busy'))

  test('a page is not kept whole', () => {
    expect(readFailure(500, 'x'.repeat(100_000)).message.length).toBeLessThanOrEqual(2_000)
  })
})

describe('when to come back', () => {
  const delay = (retryDelay: unknown) => JSON.stringify({ error: { details: [{ retryDelay }] } })
  test.each<[string, string, Record<string, string>, number | undefined]>([
    ['RetryInfo', delay('47s'), {}, 47],
    ['RetryInfo of a fraction is rounded up', delay('3.2s'), {}, 4],
    ['RetryInfo before Retry-After', delay('47s'), { 'retry-after': '12' }, 47],
    ['Retry-After', '', { 'retry-after': '12' }, 12],
    ['neither', '', {}, undefined],
    ['a negative delay', delay('-4s'), {}, undefined],
    ['a delay that is no duration', delay('soon'), {}, undefined],
    ['a delay that is an object', delay({ seconds: 4 }), {}, undefined],
    ['a Retry-After that is a date', '', { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' }, undefined],
    ['a Retry-After beyond days', '', { 'retry-after': '99999999' }, undefined],
  ])('%s', (_name, body, headers, seconds) => {
    expect(readFailure(429, body, headers).retry_after_s).toBe(seconds)
  })
})
