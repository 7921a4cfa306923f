// The responses of failures: in their surface's shape, with their id, and in the log at the right level.
import { describe, expect, test } from 'bun:test'
import {
  type GatewayError,
  internal,
  invalidRequest,
  payloadTooLarge,
  rateLimited,
  upstreamFailed,
} from '../../src/domain/errors.ts'
import { failureAnswer, idHeaders, jsonAnswer } from '../../src/http/answers.ts'
import { plainError } from '../../src/http/plain-error.ts'
import { memoryLog } from '../support/memory-log.ts'

const CAUSE = new Error('a detail')

function fail(thrown: unknown, options: { request?: Request; id_header?: string } = {}) {
  const memory = memoryLog()
  const answer = failureAnswer({
    thrown,
    request_id: 'req_1',
    render: plainError,
    log: memory.log,
    ...options,
  })
  return { answer, line: memory.lines()[0], lines: memory.lines().length }
}

describe('the log', () => {
  test.each<[name: string, level: string, message: string, thrown: unknown]>([
    ['a refusal', 'info', 'request refused', invalidRequest('no', { cause: CAUSE })],
    ['a provider’s failure', 'warn', 'request failed', upstreamFailed('no', { cause: CAUSE })],
    ['a failure of the gateway', 'error', 'request failed', internal('no', { cause: CAUSE })],
    ['another kind of error', 'error', 'request failed', CAUSE],
    ['a thrown text', 'error', 'request failed', 'text'],
  ])('%s: one line, %s', (_name, level, message, thrown) => {
    const { line, lines } = fail(thrown)
    expect(lines).toBe(1)
    expect(line).toMatchObject({ level, message, request_id: 'req_1' })
  })

  test('the cause of a refusal is logged without a stack, that of a failure of the gateway with it', () => {
    expect(fail(invalidRequest('no', { cause: CAUSE })).line?.cause).toBe('a detail')
    expect(JSON.stringify(fail(CAUSE).line?.cause)).toContain('answers.test.ts')
  })

  test('the logged address hides its key, even if its host is malformed', () => {
    const request = { method: 'GET', url: 'http://a b/v1/x?key=tg_secret&y=1', headers: new Headers() }
    const { line } = fail(invalidRequest('no'), { request: request as Request })
    expect(line).toMatchObject({ method: 'GET', path: '/v1/x?key=[hidden]&y=1' })
  })
})

describe('the response', () => {
  test('is JSON in its surface’s shape, with the request’s id in each of its headers', async () => {
    const { answer } = fail(invalidRequest('no', { param: 'x' }), { id_header: 'request-id' })
    expect(answer.status).toBe(400)
    expect(Object.fromEntries(answer.headers)).toEqual({
      'content-type': 'application/json',
      'x-request-id': 'req_1',
      'request-id': 'req_1',
    })
    expect(await answer.json()).toEqual({
      error: { message: 'no', type: 'invalid_request', code: 'invalid_request', param: 'x' },
    })
  })

  test('hides the message of an unknown failure', async () => {
    expect(await fail(new Error('/etc/passwd')).answer.text()).not.toContain('passwd')
  })

  test('says when to retry', () => {
    expect(fail(rateLimited('no', { retry_after_s: 7 })).answer.headers.get('retry-after')).toBe('7')
  })

  const posted = (headers: Record<string, string>) =>
    new Request('http://host/', { method: 'POST', body: 'x', headers })
  test.each<[name: string, error: GatewayError, request: Request | undefined, connection: string | null]>([
    ['too large a body', payloadTooLarge('no'), undefined, 'close'],
    ['an unread short body', invalidRequest('no'), posted({ 'content-length': '65536' }), null],
    ['an unread long body', invalidRequest('no'), posted({ 'content-length': '65537' }), 'close'],
    [
      'an unread body of unknown length',
      invalidRequest('no'),
      posted({ 'transfer-encoding': 'chunked' }),
      'close',
    ],
    ['no body', invalidRequest('no'), new Request('http://host/'), null],
  ])('closes the connection only if reading on would cost more: %s', (_name, error, request, connection) => {
    const { answer } = fail(error, request ? { request } : {})
    expect(answer.headers.get('connection')).toBe(connection)
  })
})

test('jsonAnswer has the status, the id headers and the JSON body', async () => {
  const answer = jsonAnswer({ a: 1 }, 'req_1', idHeaders({ request_id: 'req_1', id_header: 'x' }), 202)
  expect([answer.status, await answer.text(), answer.headers.get('x')]).toEqual([202, '{"a":1}', 'req_1'])
})
