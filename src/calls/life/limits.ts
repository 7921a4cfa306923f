// Limits of accounts and keys: the first gate, in memory; the second with the hold, where several gateways count together.
import type { Caller } from '../../access/gate.ts'
import { type CallLimits, hasLimit, type Lease, limitsFor } from '../../access/limits.ts'
import type { Limit } from '../../domain/call-limits.ts'
import { type GatewayError, rateLimited } from '../../domain/errors.ts'
import type { HoldLimits, LimitReached, Refusal, Refused } from '../../money/ledger/operations.ts'
import type { CallParts } from '../parts.ts'

/** Counts a call in this process. @throws GatewayError rate_limited */
export function takeLease(parts: Pick<CallParts, 'limiter' | 'catalogue'>, caller: Caller): Lease {
  const admission = parts.limiter.admit({ ...idsOf(caller), ...limitsOf(parts, caller) })
  if (admission.ok) return admission.lease
  throw limitError(admission.limit, admission)
}

/** Whether a call would be let in: it does not count. @throws GatewayError rate_limited */
export function assertWithinLimits(parts: Pick<CallParts, 'limiter' | 'catalogue'>, caller: Caller): void {
  takeLease(parts, caller).release()
  parts.limiter.takeBack({ ...idsOf(caller), ...limitsOf(parts, caller) })
}

/** The limits of a call's hold; undefined where nothing is limited, or this process alone serves the database. */
export function sharedLimitsOf(
  parts: Pick<CallParts, 'is_shared' | 'catalogue'>,
  caller: Caller,
): HoldLimits | undefined {
  if (!parts.is_shared) return undefined
  const { account, key } = limitsOf(parts, caller)
  const limits: HoldLimits = {}
  if (hasLimit(account)) limits.account = account
  if (hasLimit(key)) limits.key = key
  return limits.account || limits.key ? limits : undefined
}

const LIMITS: Partial<Record<Refusal, keyof Limit>> = {
  limit_requests: 'requests_per_minute',
  limit_tokens: 'tokens_per_minute',
  limit_concurrency: 'concurrent_calls',
}

/**
 * The error for a hold that all gateways together have no room for. Like every call that a limit refuses, it no longer counts.
 * @returns undefined where it was refused for something else
 */
export function refusedByLimit(
  parts: Pick<CallParts, 'limiter' | 'catalogue'>,
  caller: Caller,
  { refusal, limit: reached }: Refused,
): GatewayError | undefined {
  const limit = LIMITS[refusal]
  if (!limit || !reached) return undefined
  parts.limiter.takeBack({ ...idsOf(caller), ...limitsOf(parts, caller) })
  return limitError(limit, reached)
}

const idsOf = ({ account, key }: Caller) => ({ account_id: account.id, key_id: key.id })

const limitsOf = ({ catalogue }: Pick<CallParts, 'catalogue'>, { account, key }: Caller): CallLimits =>
  limitsFor(catalogue().limits, account.name, key)

function limitError(limit: keyof Limit, { of, retry_after_s }: LimitReached): GatewayError {
  const limit_name = `${limit.replaceAll('_', ' ')} of this ${of}`
  return rateLimited(`The limit on ${limit_name} is reached. Retry after ${retry_after_s} s.`, {
    retry_after_s,
  })
}
