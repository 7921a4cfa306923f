// Attempts of a call at routes, with their results, from its record. Pure.
import type { CallRecord } from '../../src/money/ledger/operations.ts'
import { readTrace } from '../../src/money/ledger/traces.ts'

/** The result of an attempt that was answered; the result of a failed one is its failure class. */
export const ANSWERED = 'answered'
/** The answer was interrupted. */
export const BROKE_OFF = 'broke_off'
/** The provider refused the request as invalid; other requests may succeed. */
export const REFUSED = 'bad_request'
/** The provider rejected the key. */
export const KEY_REJECTED = 'bad_key'
/** The call failed before a route was tried, and not because of the request. */
const NOT_TRIED = 'failed'

export interface Try {
  provider: string
  upstream_model: string
  result: string
  /** The failure class, or the HTTP status of a provider error; null for a success. */
  cause: string | null
  /** The name of the key that was sent, as in the log; undefined if the record does not have it. */
  key_id: string | undefined
  /** Whether it is the last attempt of the call. */
  is_last: boolean
  /** The time to the first byte, if it was answered. */
  first_byte_ms: number
}

type TriedCall = Pick<
  CallRecord,
  'provider' | 'upstream_model' | 'outcome' | 'status' | 'first_byte_ms' | 'failed_tries' | 'trace'
>

/** Returns the attempts in order. The last one is left out if the caller disconnected before the first byte, as its result is unknown. */
export function triesOf(call: TriedCall): Try[] {
  const { provider, upstream_model, outcome, status, failed_tries = 0, trace = '' } = call
  const { tried = [], sent_ms = 0, head_ms } = failed_tries > 0 ? readTrace(trace) : {}
  const tries = tried.map(
    (one, index): Try => ({
      provider: one.provider,
      upstream_model: one.model,
      result: one.failure_class,
      cause: one.failure_class === 'upstream_error' && one.status ? String(one.status) : one.failure_class,
      key_id: one.key,
      is_last: outcome === 'failed' && index === tried.length - 1,
      first_byte_ms: 0,
    }),
  )
  const last = { provider, upstream_model, key_id: undefined, is_last: true, first_byte_ms: 0 }
  switch (outcome) {
    case 'failed':
      if (tried.length === 0) {
        const result = status < 500 ? REFUSED : NOT_TRIED
        tries.push({ ...last, result, cause: result })
      }
      break
    case 'broken':
      tries.push({ ...last, result: BROKE_OFF, cause: BROKE_OFF })
      break
    default: {
      if (outcome === 'cancelled' && call.first_byte_ms === null) break
      // If the call had earlier attempts, the time of this attempt only.
      tries.push(answeredTry(call, head_ms === undefined ? (call.first_byte_ms ?? 0) : head_ms - sent_ms))
    }
  }
  return tries
}

const answeredTry = ({ provider, upstream_model }: TriedCall, first_byte_ms: number): Try => ({
  provider,
  upstream_model,
  result: ANSWERED,
  cause: null,
  key_id: undefined,
  is_last: true,
  first_byte_ms: Math.max(0, first_byte_ms),
})
