// The error responses of an operation, in its surface's form: by status, with an example for each kind of error.
import { type Answer, json, type Tag, type WrittenOperation } from '../../src/app/reference/operation.ts'
import { ref } from '../../src/app/reference/schema.ts'
import { type ErrorKind, GatewayError } from '../../src/domain/errors.ts'
import { DIALECTS } from './dialects.ts'

const MEANINGS: Readonly<Record<ErrorKind, string>> = {
  invalid_request: 'The request is malformed, or asks for what the model does not do',
  unauthenticated: 'No key, or one that is wrong, revoked or expired',
  insufficient_balance: 'Insufficient balance, or a spend limit of the key or the account is reached',
  permission_denied:
    "A suspended account, an address off the key's list, or a model that the key may not call",
  not_found: 'The model or resource was not found',
  conflict:
    'The first request with this `Idempotency-Key` is still in progress; or a referenced image is still being generated',
  payload_too_large: 'The body is too large',
  unsupported_media: 'The `Content-Encoding` of the body is unknown',
  unprocessable: 'The `Idempotency-Key` was used with another body; or a referenced image failed',
  rate_limited: "Too many requests or tokens a minute, too many calls at once, or the provider's own limit",
  internal: "The gateway's own fault",
  unimplemented: 'The operator has not enabled this',
  upstream_failed: 'The provider failed',
  upstream_overloaded: 'The provider is overloaded',
  overloaded: 'The gateway is stopping, or cannot write its storage',
  upstream_timeout: "The provider, or the caller's own body, took too long",
}

const MESSAGES: Readonly<Record<ErrorKind, string>> = {
  invalid_request: 'max_tokens: must be a whole number, 0 or more.',
  unauthenticated: 'The API key is not valid. Check that it is sent whole, and was not revoked.',
  insufficient_balance: 'Insufficient balance. Add funds, or lower max_tokens.',
  permission_denied: 'This API key may not call this model.',
  not_found: 'Model not found. GET /v1/models lists the models that you may call.',
  conflict: 'The first request with this Idempotency-Key is still in progress. Retry after a moment.',
  payload_too_large: 'The request body is larger than this endpoint allows.',
  unsupported_media: 'Content-Encoding: must be one of gzip, deflate, br and zstd, or be left out.',
  unprocessable: 'This Idempotency-Key was used for another request. Use a new one.',
  rate_limited: 'Too many requests. Retry after 3 s.',
  internal: 'The gateway failed to handle this request. It has been logged; please try again.',
  unimplemented: 'This method of the native API is not implemented here.',
  upstream_failed: "The model's provider failed to answer. Please retry.",
  upstream_overloaded: "The model's provider is overloaded. Please retry.",
  overloaded: 'The gateway is stopping. Please retry in a moment.',
  upstream_timeout: "The model's provider took too long. Please retry.",
}

const REQUEST_ID = 'req_01k9z3x8v7t6s5r4q3p2n1m0'

const ALL = Object.keys(MEANINGS) as ErrorKind[]
const ONLY_PAID_KINDS = /^(insufficient_balance|conflict|unprocessable)$/
/** Error kinds that free routes never return. */
const PAID_CALL_KINDS = /^(insufficient_balance|upstream_failed|upstream_overloaded)$/
/** Error kinds that free routes without a request body never return. */
const BODY_KINDS = /^(insufficient|payload|upstream)_/

/** Returns the failures of an operation that a plugin's reference describes. */
export const failuresOfReferenced = (
  { is_free, is_extra }: WrittenOperation,
  tag: Tag,
): Record<string, Answer> =>
  failuresOf(
    ALL.filter((kind) => (kind === 'unimplemented' ? is_extra : !(is_free && ONLY_PAID_KINDS.test(kind)))),
    tag,
  )

/** Returns the failures of a free route. @param statuses the error statuses that its schemas declare */
export function failuresOfRoute(
  statuses: readonly string[],
  tag: Tag,
  takes_body: boolean,
): Record<string, Answer> {
  const never = takes_body ? PAID_CALL_KINDS : BODY_KINDS
  const isDeclared = (kind: ErrorKind) => statuses.includes(`${rendered(kind, tag).status}`)
  const kinds = ALL.filter((kind) => isDeclared(kind) && !never.test(kind))
  return failuresOf(kinds, tag)
}

function rendered(kind: ErrorKind, tag: Tag): { status: number; body: unknown } {
  const about = kind === 'invalid_request' ? { param: 'max_tokens' } : {}
  return DIALECTS[tag].render(new GatewayError(kind, MESSAGES[kind], about), REQUEST_ID)
}

function failuresOf(kinds: readonly ErrorKind[], tag: Tag): Record<string, Answer> {
  const by_status = Map.groupBy(kinds, (kind) => rendered(kind, tag).status)
  return Object.fromEntries(
    [...by_status].map(([status, same]) => [
      status,
      {
        description: `${same.map((kind) => MEANINGS[kind]).join('. Or: ')}.`,
        headers: same.some(mayRetry) ? (['retry-after'] as const) : [],
        content: json(
          ref(DIALECTS[tag].error),
          Object.fromEntries(same.map((kind) => [kind, rendered(kind, tag).body])),
        ),
      },
    ]),
  )
}

const mayRetry = (kind: ErrorKind): boolean =>
  ['conflict', 'insufficient_balance', 'rate_limited', 'overloaded', 'upstream_overloaded'].includes(kind)
