// Failures of the messages protocol: their failure class, message and time to wait.
import type { UpstreamFailure } from '../facts.ts'
import { DEFAULT_FAILURE_CLASSES, type FailureClass } from '../failure-class.ts'
import { classifyTooLong, readGoogleError, refusalMessage, refusesKey, retryDelay } from '../failures.ts'
import { lookUp, objectIn, parseObject, stringIn } from '../wire/json.ts'
import { retryAfter } from '../wire/retry-after.ts'

/** https://platform.claude.com/docs/en/api/errors. */
const FAILURE_CLASS_BY_STATUS: Readonly<Record<number, FailureClass>> = {
  ...DEFAULT_FAILURE_CLASSES,
  409: 'bad_request',
}

/** The HTTP status of an error reported under status 200, by its type; 500 for other types. */
const STATUS_BY_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
}

/** Error types that are more specific than their status. */
const FAILURE_CLASS_BY_TYPE: Readonly<Record<string, FailureClass>> = {
  overloaded_error: 'overloaded',
  timeout_error: 'timed_out',
}

/** Anthropic answers 400 to an account without credit; only the message distinguishes it. */
const OUT_OF_CREDIT = /credit balance is too low/i

/** https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/fix-bound-to-a-different-conversation */
const UNREADABLE_THINKING = /Invalid `(?:signature|data)` in `(?:redacted_)?thinking` block/

/**
 * Reads a refusal.
 * @param status 200 for an error inside an answer: its type then decides the status
 * @param body the provider's JSON, a proxy's HTML, or nothing
 */
export function readFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const own = objectIn(parseObject(body)?.error)
  // Vertex AI refuses some requests with an error of its own.
  const error = own.type === undefined ? readGoogleError(body) : own
  const message = refusalMessage(stringIn(error.message), status, body)
  const error_status = status === 200 ? (lookUp(STATUS_BY_TYPE, error.type) ?? 500) : status
  return classifyTooLong({
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
