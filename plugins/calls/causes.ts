// Causes of failed calls, in one word, for lists and sums. Pure.
import { type CallOutcome, hasFailed } from '../../src/domain/outcomes.ts'
import { type CallTrace, readTrace } from '../../src/money/ledger/traces.ts'

export const CAUSES = [
  'interrupted',
  'timeout',
  'rate_limited',
  'overloaded',
  'key_rejected',
  'provider_error',
  'request_rejected',
  'gateway_error',
  'unknown',
] as const
export type FailureCause = (typeof CAUSES)[number]

/** Causes by the kind of the error sent to the caller (src/domain/errors.ts). */
const BY_KIND: Readonly<Record<string, FailureCause>> = {
  upstream_timeout: 'timeout',
  upstream_overloaded: 'overloaded',
  upstream_failed: 'provider_error',
  rate_limited: 'rate_limited',
  invalid_request: 'request_rejected',
  overloaded: 'gateway_error',
  internal: 'gateway_error',
}

/** Causes by HTTP status, for calls whose traces are no longer kept. */
const BY_STATUS: Readonly<Record<number, FailureCause>> = {
  429: 'rate_limited',
  500: 'gateway_error',
  502: 'provider_error',
  503: 'overloaded',
  504: 'timeout',
  529: 'overloaded',
}

interface EndedCall {
  outcome: CallOutcome | 'refused'
  status: number
  /** The stored trace; empty if it is not kept. */
  trace: string
}

/**
 * Returns the cause of a failed call; null for any other call.
 * @param sees_providers false for accounts: a rejected provider key is then `provider_error`, because the key is the operator's
 */
export function causeOf({ outcome, status, trace }: EndedCall, sees_providers: boolean): FailureCause | null {
  if (outcome === 'refused' || !hasFailed({ outcome })) return null
  const { failure, tried = [] } = readTrace(trace)
  const cause = failure && BY_KIND[failure.kind]
  if (outcome === 'broken') return cause === 'timeout' ? cause : 'interrupted'
  if (cause === 'provider_error' && sees_providers && isKeyRejected(tried)) return 'key_rejected'
  return cause ?? BY_STATUS[status] ?? 'unknown'
}

/** Whether the attempt that decided the error of the caller was refused for its key (`allRoutesFailed` in src/upstream/failures.ts). */
const isKeyRejected = (tried: NonNullable<CallTrace['tried']>): boolean =>
  tried.findLast(({ failure_class }) => failure_class !== 'rate_limited')?.failure_class === 'bad_key'
