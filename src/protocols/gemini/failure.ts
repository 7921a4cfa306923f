// Owns what a vendor's refusal means: whose doing it is, and when to come back.
import type { UpstreamFailure } from '../facts.ts'
import { DEFAULT_FAILURE_CLASSES, type FailureClass } from '../failure-class.ts'
import { refusalWords } from '../refusal-words.ts'
import { type Json, type JsonObject, objectIn, objectsIn, stringIn } from '../wire/json.ts'
import { retryAfter } from '../wire/retry-after.ts'

/** A cached content or a file that is not there is answered as 403 or 404 too: that is no fault of the key or the route. */
const NAMES_A_RESOURCE_OF_THE_CALLER = /cached ?content|\bfiles?\b/i

/**
 * Reads a refusal.
 * @param body the vendor's JSON, or that in an array as streams have it, or HTML of something in between, or nothing
 */
export function readFailure(status: number, headers: Headers, body: string): UpstreamFailure {
  const error = readError(body)
  const message = refusalWords(stringIn(error.message), status, body)
  return {
    failure_class: classify(status, error, message),
    message,
    retry_after_s: retryDelay(error) ?? retryAfter(headers),
  }
}

function classify(status: number, error: JsonObject, message: string): FailureClass {
  if (refusesKey(error)) return 'bad_key'
  if ((status === 403 || status === 404) && NAMES_A_RESOURCE_OF_THE_CALLER.test(message)) return 'bad_request'
  // https://ai.google.dev/gemini-api/docs/troubleshooting, "Gemini API backend service error codes".
  return DEFAULT_FAILURE_CLASSES[status] ?? 'upstream_error'
}

/** A key that is wrong or expired is answered as 400, and so is one whose country or billing rules it out. */
function refusesKey(error: JsonObject): boolean {
  if (error.status === 'FAILED_PRECONDITION') return true
  return objectsIn(error.details).some(({ reason }) => stringIn(reason)?.startsWith('API_KEY_'))
}

function readError(body: string): JsonObject {
  try {
    const parsed: Json = JSON.parse(body)
    return objectIn(objectIn(Array.isArray(parsed) ? parsed[0] : parsed).error)
  } catch {
    return {}
  }
}

/** google.rpc.RetryInfo, a duration such as `47s` or `3.2s`. */
function retryDelay(error: JsonObject): number | undefined {
  for (const { retryDelay } of objectsIn(error.details)) {
    const match = typeof retryDelay === 'string' ? /^(\d{1,6}(?:\.\d+)?)s$/.exec(retryDelay) : null
    if (match) return Math.ceil(Number(match[1]))
  }
  return undefined
}
