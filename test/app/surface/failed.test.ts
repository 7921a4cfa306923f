// The record of refused requests: it depends on the kind of error, and on the known facts of the request.
import { expect, test } from 'bun:test'
import { answerTo } from '../../../src/app/surface/failed.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { RefusalFacts } from '../../../src/calls/life/call.ts'
import { createEvents, type RefusedRequest } from '../../../src/calls/life/events.ts'
import { type ErrorKind, GatewayError } from '../../../src/domain/errors.ts'
import { plainError } from '../../../src/http/plain-error.ts'
import { createTally } from '../../../src/observe/tally.ts'
import { renderError as renderMessagesError } from '../../../src/protocols/anthropic/errors.ts'
import { memoryLog } from '../../support/memory-log.ts'

const CALLER = { account: { id: 7 }, key: { id: 8 } } as RefusalFacts['caller']
const { log } = memoryLog()

function recordedOf(thrown: unknown, known: RefusalFacts | undefined, render = plainError): RefusedRequest[] {
  const recorded: RefusedRequest[] = []
  const events = createEvents(log)
  events.on('refused', (request) => recorded.push(request))
  const parts = {
    calls: { log, events },
    requests: { error_answers: createTally(), sockets: () => null },
  }
  const surface = { surface: 'chat', forms: [], render }
  answerTo(parts as unknown as Pick<Gateway, 'calls' | 'requests'>, surface, {
    thrown,
    known,
    request_id: 'req_1',
  })
  return recorded
}

const KINDS: Readonly<Record<ErrorKind, number | undefined>> = {
  invalid_request: 400,
  unauthenticated: 401,
  insufficient_balance: 402,
  permission_denied: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media: 415,
  unprocessable: 422,
  rate_limited: 429,
  overloaded: 503,
  internal: undefined,
  unimplemented: undefined,
  upstream_failed: undefined,
  upstream_overloaded: undefined,
  upstream_timeout: undefined,
}

test.each(Object.entries(KINDS))('%s: recorded as %p', (kind, status) => {
  const known = { ...(CALLER ? { caller: CALLER } : {}), model: 'm' }
  expect(recordedOf(new GatewayError(kind as ErrorKind, 'Do this.'), known)).toEqual(
    status === undefined
      ? []
      : [
          {
            account_id: 7,
            key_id: 8,
            request_id: 'req_1',
            surface: 'chat',
            model: 'm',
            status,
            code: kind,
            sentence: 'Do this.',
          },
        ],
  )
})

test('an overload is recorded with the status of its surface', () => {
  const known = CALLER ? { caller: CALLER } : {}
  const error = new GatewayError('overloaded', 'Retry.')
  expect(recordedOf(error, known, renderMessagesError)).toMatchObject([{ status: 529 }])
})

test.each([
  ['without an origin', undefined],
  ['without a key', {}],
  ['of a call', { ...(CALLER ? { caller: CALLER } : {}), is_call: true as const }],
])('a refusal %s is not recorded', (_, known) => {
  expect(recordedOf(new GatewayError('not_found', 'None.'), known)).toEqual([])
})
