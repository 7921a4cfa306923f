// Google's error, which its APIs return in every protocol: which key or project it is about, and when to retry.
// https://google.aip.dev/193
import { type JsonObject, objectIn, objectsIn, parseJson, stringIn } from './wire/json.ts'
import { boundedWait } from './wire/retry-after.ts'

/** The error of a refusal, which streams have in an array; empty for anything else. */
export function readGoogleError(body: string): JsonObject {
  const parsed = parseJson(body)
  return objectIn(objectIn(Array.isArray(parsed) ? parsed[0] : parsed).error)
}

/**
 * The answer to a wrong or expired key is 400, as for one that its country or billing rules out, or with a project that may not
 * use the model: https://github.com/yym68686/uni-api/issues/41.
 */
export function refusesKey({ status, details }: JsonObject): boolean {
  if (status === 'FAILED_PRECONDITION') return true
  return objectsIn(details).some(({ reason }) => stringIn(reason)?.startsWith('API_KEY_'))
}

/** google.rpc.RetryInfo, a duration such as `47s` or `3.2s`. */
export function retryDelay({ details }: JsonObject): number | undefined {
  for (const { retryDelay } of objectsIn(details)) {
    const match = typeof retryDelay === 'string' ? /^(\d{1,6}(?:\.\d+)?)s$/.exec(retryDelay) : null
    if (match) return boundedWait(Number(match[1]))
  }
  return undefined
}
