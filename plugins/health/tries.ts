// The tries of a call at routes, from its record: which answered, which failed, and how. Pure.
import type { CallRecord } from '../../src/money/ledger/operations.ts'
import { readTrace } from '../../src/money/ledger/traces.ts'

/** A try that answered has this as its result; one that failed the class of its failure. */
export const ANSWERED = 'answered'
/** The answer began, and broke off. */
export const BROKE_OFF = 'broke_off'
/** The provider refused the request itself, which another request may well not meet. */
export const REFUSED = 'bad_request'
/** The provider rejected the key. */
export const KEY_REJECTED = 'bad_key'
/** The call failed before a route was tried, and not by its caller's fault. */
const NOT_TRIED = 'failed'

export interface Try {
  provider: string
  upstream_model: string
  result: string
  /** The class of its failure or, of an error of the provider, its HTTP status; null if it answered. */
  cause: string | null
  /** The key that was sent, as the log names it; undefined where the record does not say. */
  key_id: string | undefined
  /** Its call ended with it. */
  is_last: boolean
  /** Of one that answered: how long it took to the first byte. */
  first_byte_ms: number
}

type TriedCall = Pick<
  CallRecord,
  'provider' | 'upstream_model' | 'outcome' | 'status' | 'first_byte_ms' | 'failed_tries' | 'trace'
>

/** In order. Whose caller left before the first byte has no last try: nobody knows how that would have ended. */
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
      // Of a call with tries before, the time of this one alone.
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
