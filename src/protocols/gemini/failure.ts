// Failures of the native protocol: their failure class, message and time to wait.
import type { UpstreamFailure } from '../facts.ts'
import { DEFAULT_FAILURE_CLASSES, type FailureClass } from '../failure-class.ts'
import { classifyTooLong, readGoogleError, refusalMessage, refusesKey, retryDelay } from '../failures.ts'
import { countIn, type JsonObject, stringIn } from '../wire/json.ts'
import { retryAfter } from '../wire/retry-after.ts'

/**
 * A missing cached content or file is also answered with 403 or 404, which is not the fault of the key or the route.
 */
const NAMES_A_RESOURCE_OF_THE_CALLER = /cached ?content|\bfiles?\b/i

/**
 * Reads a refusal.
 * @param status 200 for an error inside an answer: its code is then the status
 * @param body the provider's JSON, the same in an array as in streams, a proxy's HTML, or nothing
 */
export function readFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const error = readGoogleError(body)
  const message = refusalMessage(stringIn(error.message), status, body)
  return classifyTooLong({
    failure_class: classify(status === 200 ? (countIn(error.code) ?? 500) : status, error, message),
    message,
    retry_after_s: retryDelay(error) ?? retryAfter(headers),
  })
}

function classify(status: number, error: JsonObject, message: string): FailureClass {
  if (refusesKey(error)) return 'bad_key'
  if (error.status === 'DEADLINE_EXCEEDED') return 'timed_out'
  if ((status === 403 || status === 404) && NAMES_A_RESOURCE_OF_THE_CALLER.test(message)) return 'bad_request'
  // https://ai.google.dev/gemini-api/docs/troubleshooting, "Gemini API backend service error codes".
  return DEFAULT_FAILURE_CLASSES[status] ?? 'upstream_error'
}
