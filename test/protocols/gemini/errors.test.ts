// spec.md, Native generation endpoints (errors), and silent.md, Native, for the rest.
import { describe, expect, test } from 'bun:test'
import { type ErrorKind, GatewayError } from '../../../src/domain/errors.ts'
import { gemini } from '../../../src/protocols/gemini/index.ts'

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
