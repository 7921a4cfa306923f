// Refusals before a call: by in-memory limits of accounts and keys, and by the ledger, which counts for all gateways.
import { type Caller, expiredKey, unknownKey } from '../../access/gate.ts'
import { type CallLimits, hasLimit, type Lease, limitsFor } from '../../access/limits.ts'
import { suspendedAccount } from '../../access/suspension.ts'
import type { Limit } from '../../domain/call-limits.ts'
import { type GatewayError, insufficientBalance, internal, rateLimited } from '../../domain/errors.ts'
import { ledgerUnavailable } from '../../money/ledger/failure.ts'
import type { LimitReached } from '../../money/ledger/limit-refusals.ts'
import type { HoldLimits, Refusal, Refused } from '../../money/ledger/operations.ts'
import type { CallParts } from '../parts.ts'

/** Counts a call in this process. @throws GatewayError rate_limited */
export function takeLease(parts: Pick<CallParts, 'limiter' | 'catalogue'>, caller: Caller): Lease {
  const admission = parts.limiter.admit({ ...idsOf(caller), ...limitsOf(parts, caller) })
  if (admission.ok) return admission.lease
  throw limitError(admission.limit, admission)
}

/** Checks whether a call would be admitted, without counting it. @throws GatewayError rate_limited */
export function assertWithinLimits(parts: Pick<CallParts, 'limiter' | 'catalogue'>, caller: Caller): void {
  takeLease(parts, caller).release()
  parts.limiter.takeBack({ ...idsOf(caller), ...limitsOf(parts, caller) })
}

/** Returns the limits for a call's hold; undefined if none exist, or if only this process serves the database. */
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
 * Makes the error for a hold that exceeds the limits shared by all gateways. Its count in this process is taken back, as for every refused call.
 * @returns undefined if the hold was refused for another reason
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

const LIMIT_NAMES: Record<keyof Limit, string> = {
  requests_per_minute: 'requests per minute',
  tokens_per_minute: 'tokens per minute',
  concurrent_calls: 'concurrent requests',
}

function limitError(limit: keyof Limit, { of, retry_after_s }: LimitReached): GatewayError {
  const limit_name = `${LIMIT_NAMES[limit]} of this ${of}`
  return rateLimited(`Rate limit reached: ${limit_name}. Retry after ${retry_after_s} s.`, {
    retry_after_s,
  })
}

const ERRORS: Partial<Record<Refusal, () => GatewayError>> = {
  no_such_account: unknownKey,
  no_such_key: unknownKey,
  key_revoked: unknownKey,
  key_expired: expiredKey,
  account_suspended: suspendedAccount,
  key_spend_limit: () =>
    insufficientBalance(
      'This call would exceed the spend limit of this API key. Raise the limit, or lower max_tokens.',
    ),
  ...budgetErrors(),
  insufficient_balance: () => insufficientBalance('Insufficient balance. Add funds, or lower max_tokens.'),
  outstanding_debt: () =>
    insufficientBalance('The account is in debt. Add funds: they pay the debt first.', {
      code: 'OUTSTANDING_DEBT',
    }),
}

function budgetErrors(): Partial<Record<Refusal, () => GatewayError>> {
  const limits = [
    ['5h', 'five-hour spend limit'],
    ['daily', 'daily spend limit'],
    ['weekly', 'weekly spend limit'],
    ['monthly', 'monthly spend limit'],
  ]
  return Object.fromEntries(
    limits.flatMap(([period, limit]) => {
      const exceeds = `This call would exceed the ${limit} of`
      return [
        [
          `key_${period}_limit`,
          () => insufficientBalance(`${exceeds} this API key. Raise the limit, or lower max_tokens.`),
        ],
        [
          `person_${period}_limit`,
          () =>
            insufficientBalance(
              `${exceeds} the person whose API key this is. Ask an owner of the account to raise it, or lower max_tokens.`,
            ),
        ],
        [
          `account_${period}_limit`,
          () => insufficientBalance(`${exceeds} the account. Raise the limit, or lower max_tokens.`),
        ],
      ]
    }),
  )
}

/** Advice on sending media that can be counted. */
const MEDIA_ADVICE =
  "The tokens of its media cannot be counted, so the cost of the model's whole context is held. Send files inline instead of by URL or id, PDFs without encryption, audio as WAV, MP3, FLAC, Ogg, MP4 or WebM, and video as MP4 or WebM."

/**
 * Makes the error for a refused hold. A refusal that no caller can cause is the gateway's own failure.
 * @param is_uncounted the hold would cover the model's whole context, since some content cannot be counted
 * @param reset the time when the exhausted budget starts again
 */
export function refusalError(
  refusal: Refusal,
  is_uncounted = false,
  reset: { at_ms: number; now_ms: number } | undefined = undefined,
): GatewayError {
  const error = ERRORS[refusal]?.()
  if (!error)
    return internal('The gateway could not price this call. It has been logged.', { cause: refusal })
  const is_of_amount = error.kind === 'insufficient_balance' && refusal !== 'outstanding_debt'
  const message = [
    error.message,
    reset && `The limit resets at ${new Date(reset.at_ms).toISOString()}.`,
    is_uncounted && is_of_amount && MEDIA_ADVICE,
  ]
  const retry_after_s = reset && Math.max(1, Math.ceil((reset.at_ms - reset.now_ms) / 1_000))
  return reset || (is_uncounted && is_of_amount)
    ? insufficientBalance(message.filter(Boolean).join(' '), { retry_after_s })
    : error
}

/** Refuses new calls while nothing can be charged. @throws GatewayError overloaded */
export function refuseWhileClosed({ closed }: Pick<CallParts, 'closed'>): void {
  const reason = closed()
  if (reason !== undefined) throw ledgerUnavailable(reason)
}
