// The failures of an operation, as the surfaces write them: by status, with an example for each kind of error.
import { type ErrorKind, GatewayError } from '../../src/domain/errors.ts'
import type { DialectName } from './dialects.ts'
import { DIALECTS } from './dialects.ts'
import type { Answer, Example } from './operation.ts'
import { ref } from './schema.ts'

/** What happened, for the document; and an error as it may be answered. */
const KINDS: Readonly<Record<ErrorKind, readonly [what: string, message: string, param?: string]>> = {
  invalid_request: [
    'The request is malformed, or asks for what the model does not do',
    'max_tokens: must be a whole number, 0 or more.',
    'max_tokens',
  ],
  unauthenticated: [
    'No key, or one that is wrong, revoked or expired',
    'The API key is not valid. Check that it is sent whole, and was not revoked.',
  ],
  insufficient_balance: [
    "The balance, or the key's spending limit, does not pay for the call",
    'The balance does not pay for this call. Top up the account.',
  ],
  permission_denied: [
    "A suspended account, an address off the key's list, or a model that the key may not call",
    'This API key may not call this model.',
  ],
  not_found: [
    'No such model, or no such thing in this account',
    'There is no such model that you may call. GET /v1/models lists those there are.',
  ],
  conflict: [
    'The first request with this `Idempotency-Key` is still under way; or a picture that is referred to is still being made',
    'The first request with this Idempotency-Key is still under way. Retry after a moment.',
  ],
  payload_too_large: ['The body is too large', 'The request body is larger than this endpoint takes.'],
  unprocessable: [
    'The `Idempotency-Key` was used with another body; or what is referred to has failed',
    'This Idempotency-Key was used for another request. Use a new one.',
  ],
  rate_limited: [
    "Too many requests or tokens a minute, too many calls at once, or the provider's own limit",
    'Too many requests. Retry after 3 s.',
  ],
  internal: [
    "The gateway's own fault",
    'The gateway failed to handle this request. It has been logged; please try again.',
  ],
  unimplemented: [
    'The operator has not switched this on',
    'This method of the native API is not implemented here. Use generateContent, streamGenerateContent or the /v1 endpoints.',
  ],
  upstream_failed: ['The provider failed', "The model's provider failed to answer. Please retry."],
  upstream_overloaded: ['The provider is overloaded', "The model's provider is overloaded. Please retry."],
  overloaded: [
    'The gateway is stopping, or cannot write its disk',
    'The gateway is stopping. Please retry in a moment.',
  ],
  upstream_timeout: [
    "The provider, or the caller's own body, took too long",
    "The model's provider took too long. Please retry.",
  ],
}

const REQUEST_ID = 'req_01k9z3x8v7t6s5r4q3p2n1m0'

/** Every kind of error. */
export const ERROR_KINDS = Object.keys(KINDS) as ErrorKind[]

export const statusOf = (kind: ErrorKind, name: DialectName): number => rendered(kind, name).status

function rendered(kind: ErrorKind, name: DialectName): { status: number; body: unknown } {
  const [, message, param] = KINDS[kind]
  const error = new GatewayError(kind, message, param === undefined ? {} : { param })
  return DIALECTS[name].render(error, REQUEST_ID)
}

/** The failures of these kinds, by status. */
export function failuresOf(kinds: readonly ErrorKind[], name: DialectName): Record<string, Answer> {
  const by_status = Map.groupBy(kinds, (kind) => statusOf(kind, name))
  return Object.fromEntries(
    [...by_status].map(([status, same]) => [
      status,
      {
        description: `${same.map((kind) => KINDS[kind][0]).join('. Or: ')}.`,
        headers: same.some(mayRetry) ? (['retry-after'] as const) : [],
        content: {
          'application/json': {
            schema: ref(DIALECTS[name].error),
            examples: Object.fromEntries(same.map((kind) => [kind, exampleOf(kind, name)])),
          },
        },
      },
    ]),
  )
}

const mayRetry = (kind: ErrorKind): boolean =>
  ['conflict', 'rate_limited', 'overloaded', 'upstream_overloaded'].includes(kind)

const exampleOf = (kind: ErrorKind, name: DialectName): Example => ({
  summary: KINDS[kind][0],
  value: rendered(kind, name).body,
})
