// The meaning of a refusal in the messages protocol: its failure class, and when to come back.
import type { UpstreamFailure } from '../facts.ts'
import { DEFAULT_FAILURE_CLASSES, type FailureClass } from '../failure-class.ts'
import { knownTooLong, readGoogleError, refusalMessage, refusesKey, retryDelay } from '../failures.ts'
import { lookUp, objectIn, parseObject, stringIn } from '../wire/json.ts'
import { retryAfter } from '../wire/retry-after.ts'

/** https://platform.claude.com/docs/en/api/errors. */
const FAILURE_CLASS_BY_STATUS: Readonly<Record<number, FailureClass>> = {
  ...DEFAULT_FAILURE_CLASSES,
  409: 'bad_request',
}

/** The status of an error that comes under status 200; of the other types it is 500. */
const STATUS_BY_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
}

/** Types that say more than the status they come with. */
const FAILURE_CLASS_BY_TYPE: Readonly<Record<string, FailureClass>> = {
  overloaded_error: 'overloaded',
  timeout_error: 'timed_out',
}

/** An account without credit is answered with a plain 400, which only its message tells apart. */
const OUT_OF_CREDIT = /credit balance is too low/i

/** https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/fix-bound-to-a-different-conversation */
const UNREADABLE_THINKING = /Invalid `(?:signature|data)` in `(?:redacted_)?thinking` block/

/**
 * Reads a refusal.
 * @param status 200 for an error inside an answer: its type then decides the status
 * @param body the provider's JSON, or HTML of a proxy, or nothing
 */
export function readFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const own = objectIn(parseObject(body)?.error)
  // Vertex AI refuses some requests itself.
  const error = own.type === undefined ? readGoogleError(body) : own
  const message = refusalMessage(stringIn(error.message), status, body)
  const error_status = status === 200 ? (lookUp(STATUS_BY_TYPE, error.type) ?? 500) : status
  return knownTooLong({
    failure_class:
      OUT_OF_CREDIT.test(message) || refusesKey(error)
        ? 'bad_key'
        : (lookUp(FAILURE_CLASS_BY_TYPE, error.type) ??
          FAILURE_CLASS_BY_STATUS[error_status] ??
          'upstream_error'),
    message,
    retry_after_s: retryDelay(error) ?? retryAfter(headers),
    ...(UNREADABLE_THINKING.test(message) ? { refuses_thinking: true } : {}),
  })
}
