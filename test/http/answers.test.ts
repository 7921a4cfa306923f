// Failures as they leave: in their surface's shape, with their id, and in the log as loudly as they deserve.
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
    ['our own failure', 'error', 'request failed', internal('no', { cause: CAUSE })],
    ['another kind of error', 'error', 'request failed', CAUSE],
    ['a thrown text', 'error', 'request failed', 'text'],
  ])('%s: one line, %s', (_name, level, message, thrown) => {
    const { line, lines } = fail(thrown)
    expect(lines).toBe(1)
    expect(line).toMatchObject({ level, message, request_id: 'req_1' })
  })

  test('a refusal’s cause is told without a stack, our own with it', () => {
    expect(fail(invalidRequest('no', { cause: CAUSE })).line?.cause).toBe('a detail')
    expect(JSON.stringify(fail(CAUSE).line?.cause)).toContain('answers.test.ts')
  })

  test('the address is told without the key in it, even where its host is malformed', () => {
    const asked = { method: 'GET', url: 'http://a b/v1/x?key=tg_secret&y=1', headers: new Headers() }
    const { line } = fail(invalidRequest('no'), { request: asked as Request })
    expect(line).toMatchObject({ method: 'GET', path: '/v1/x?key=[hidden]&y=1' })
  })
})

describe('the answer', () => {
  test('is JSON in its surface’s shape, with the request’s id under each of its names', async () => {
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

  test('hides what an unknown failure says', async () => {
    expect(await fail(new Error('/etc/passwd')).answer.text()).not.toContain('passwd')
  })

  test('says when a retry makes sense', () => {
    expect(fail(rateLimited('no', { retry_after_s: 7 })).answer.headers.get('retry-after')).toBe('7')
  })

  const posted = (headers: Record<string, string>) =>
    new Request('http://host/', { method: 'POST', body: 'x', headers })
  test.each<[name: string, error: GatewayError, request: Request | undefined, connection: string | null]>([
    ['a body that was too large', payloadTooLarge('no'), undefined, 'close'],
    ['a short body unread', invalidRequest('no'), posted({ 'content-length': '65536' }), null],
    ['a long body unread', invalidRequest('no'), posted({ 'content-length': '65537' }), 'close'],
    [
      'a body of unknown length unread',
      invalidRequest('no'),
      posted({ 'transfer-encoding': 'chunked' }),
      'close',
    ],
    ['no body', invalidRequest('no'), new Request('http://host/'), null],
  ])(
    'the connection is closed only where reading on would cost more: %s',
    (_name, error, request, connection) => {
      const { answer } = fail(error, request ? { request } : {})
      expect(answer.headers.get('connection')).toBe(connection)
    },
  )
})

test('an answer of the gateway’s own', async () => {
  const answer = jsonAnswer({ a: 1 }, 'req_1', idHeaders({ request_id: 'req_1', id_header: 'x' }), 202)
  expect([answer.status, await answer.text(), answer.headers.get('x')]).toEqual([202, '{"a":1}', 'req_1'])
})
