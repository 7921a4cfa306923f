// The native protocol: the targets of requests, the classes of failures, errors for callers (spec.md, Native generation endpoints, and silent.md, Native).
import { describe, expect, test } from 'bun:test'
import { type ErrorKind, GatewayError } from '../../../src/domain/errors.ts'
import type { UpstreamFailure } from '../../../src/protocols/facts.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'
import { failures } from './recordings.ts'

const call = { model: 'gemini-2.5-flash' }

test('a whole answer is requested with generateContent', () => {
  expect(gemini.text.target({ ...call, streams: false })).toEqual({
    path: '/v1beta/models/gemini-2.5-flash:generateContent',
    headers: {},
  })
})

test('a stream is always requested as server-sent events', () => {
  expect(gemini.text.target({ ...call, streams: true }).path).toBe(
    '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
  )
})

test('a model id cannot change the path or the query', () => {
  expect(gemini.text.target({ ...call, model: 'a?b#c d/e', streams: false }).path).toBe(
    '/v1beta/models/a%3Fb%23c%20d/e:generateContent',
  )
})

const TABLE: [ErrorKind, number, string][] = [
  ['unauthenticated', 401, 'UNAUTHENTICATED'],
  ['insufficient_balance', 402, 'FAILED_PRECONDITION'],
  ['permission_denied', 403, 'PERMISSION_DENIED'],
  ['not_found', 404, 'NOT_FOUND'],
  ['rate_limited', 429, 'RESOURCE_EXHAUSTED'],
  ['unimplemented', 501, 'UNIMPLEMENTED'],
  ['upstream_failed', 502, 'UNAVAILABLE'],
  ['upstream_timeout', 502, 'UNAVAILABLE'],
  ['invalid_request', 400, 'INVALID_ARGUMENT'],
  ['payload_too_large', 400, 'INVALID_ARGUMENT'],
  ['unprocessable', 422, 'INVALID_ARGUMENT'],
  ['conflict', 409, 'ABORTED'],
  ['internal', 500, 'INTERNAL'],
  ['overloaded', 503, 'UNAVAILABLE'],
]

describe('spec.md, Native generation endpoints: body shape {error: {code, message, status}}', () => {
  test.each(TABLE)('%s is %i %s', (kind, status, canonical) => {
    const error = new GatewayError(kind, 'What to do.', {
      code: 'hidden_code',
      param: 'hidden_param',
      cause: 'hidden cause',
      retry_after_s: 5,
    })
    expect(gemini.renderError(error, 'request-1')).toEqual({
      status,
      body: { error: { code: status, message: 'What to do.', status: canonical } },
    })
  })

  test.each(TABLE)('%s inside a stream is the same, as the data of one record', (kind) => {
    const error = new GatewayError(kind, 'line one\nline two')
    const data = gemini.renderStreamError(error, 'request-1')
    expect(data).not.toContain('\n')
    expect(JSON.parse(data)).toEqual(gemini.renderError(error, 'request-1').body)
  })
})

const FAILURE_CLASSES: Record<string, UpstreamFailure['failure_class']> = {
  'invalid argument with field violations': 'bad_request',
  'key not valid': 'bad_key',
  "location of the key's owner": 'bad_key',
  'key missing': 'bad_key',
  'cached content that is not there': 'bad_request',
  'file that is not there': 'bad_request',
  'model that is not there': 'upstream_error',
  'quota with retry delay': 'rate_limited',
  'quota of a stream, in an array': 'rate_limited',
  internal: 'upstream_error',
  overloaded: 'overloaded',
  deadline: 'timed_out',
  'page of something in between': 'upstream_error',
}

const readFailure = (status: number, body: string, headers: Record<string, string> = {}) =>
  gemini.readFailure(status, new Headers(headers), body)

describe('recorded refusals', () => {
  test.each(failures().map((failure) => [failure.name, failure] as const))('%s', (name, failure) => {
    const body = typeof failure.body === 'string' ? failure.body : JSON.stringify(failure.body)
    expect(readFailure(failure.status, body, failure.headers).failure_class).toBe(
      FAILURE_CLASSES[name] ?? 'bad_request',
    )
    expect(Object.keys(FAILURE_CLASSES)).toContain(name)
  })
})

describe('the status alone, with an empty body', () => {
  test.each([
    [400, 'bad_request'],
    [401, 'bad_key'],
    [402, 'bad_key'],
    [403, 'bad_key'],
    [404, 'upstream_error'],
    [408, 'upstream_error'],
    [413, 'bad_request'],
    [422, 'bad_request'],
    [429, 'rate_limited'],
    [500, 'upstream_error'],
    [502, 'upstream_error'],
    [503, 'overloaded'],
    [504, 'timed_out'],
    [529, 'overloaded'],
    [302, 'upstream_error'],
  ] as const)('%i is %s', (status, failure_class) => {
    const failure = readFailure(status, '')
    expect(failure.failure_class).toBe(failure_class)
    expect(failure.message).toContain(String(status))
  })
})

describe('bodies', () => {
  test("the provider's message is kept", () => {
    expect(readFailure(400, '{"error":{"message":"no such field"}}').message).toBe('no such field')
  })
  test.each([
    ['HTML', '<html>503</html>'],
    ['cut JSON', '{"error": {"code": 4'],
    ['an empty array', '[]'],
    ['null', 'null'],
    ['an error that is a word', '{"error":"bad"}'],
    ['details that are not a list', '{"error":{"details":{"reason":"API_KEY_INVALID"}}}'],
    ['malformed details', '{"error":{"details":[null,1,{"reason":5}]}}'],
  ])('%s is classified by its status', (_name, body) =>
    expect(readFailure(429, body).failure_class).toBe('rate_limited'),
  )

  test('a long page is cut', () => {
    expect(readFailure(500, 'x'.repeat(100_000)).message.length).toBeLessThanOrEqual(2_000)
  })
})

describe('the retry delay', () => {
  const delay = (retryDelay: unknown) => JSON.stringify({ error: { details: [{ retryDelay }] } })
  test.each<[string, string, Record<string, string>, number | undefined]>([
    ['RetryInfo', delay('47s'), {}, 47],
    ['RetryInfo of a fraction is rounded up', delay('3.2s'), {}, 4],
    ['RetryInfo before Retry-After', delay('47s'), { 'retry-after': '12' }, 47],
    ['Retry-After', '', { 'retry-after': '12' }, 12],
    ['neither', '', {}, undefined],
    ['a negative delay', delay('-4s'), {}, undefined],
    ['a delay that is not a duration', delay('soon'), {}, undefined],
    ['a delay that is an object', delay({ seconds: 4 }), {}, undefined],
    ['a delay of weeks: at most a day', delay('999999s'), {}, 86_400],
    ['RetryInfo before retry-after-ms', delay('2s'), { 'retry-after-ms': '9000' }, 2],
  ])('%s', (_name, body, headers, seconds) => {
    expect(readFailure(429, body, headers).retry_after_s).toBe(seconds)
  })
})
