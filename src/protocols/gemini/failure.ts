// The meaning of a refusal in the native protocol: its failure class, and when to come back.
import type { UpstreamFailure } from '../facts.ts'
import { DEFAULT_FAILURE_CLASSES, type FailureClass } from '../failure-class.ts'
import { knownTooLong, readGoogleError, refusalMessage, refusesKey, retryDelay } from '../failures.ts'
import { countIn, type JsonObject, stringIn } from '../wire/json.ts'
import { retryAfter } from '../wire/retry-after.ts'

/**
 * A cached content or a file that does not exist is also answered with 403 or 404: that is not the fault of the key or
 * the route.
 */
const NAMES_A_RESOURCE_OF_THE_CALLER = /cached ?content|\bfiles?\b/i

/**
 * Reads a refusal.
 * @param status 200 for an error inside an answer, which then tells its status by its code
 * @param body the provider's JSON, or the same in an array as in streams, or HTML of a proxy, or nothing
 */
export function readFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const error = readGoogleError(body)
  const message = refusalMessage(stringIn(error.message), status, body)
  return knownTooLong({
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
