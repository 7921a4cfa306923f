// Errors for calls that neither the account's plan covers nor its balance can pay for.
import { type GatewayError, insufficientBalance, permissionDenied, rateLimited } from '../../domain/errors.ts'
import type { PlanRefusal } from '../../money/ledger/limit-refusals.ts'
import type { Refusal, Refused } from '../../money/ledger/operations.ts'

const LIMITS = {
  plan_5h_limit: 'five-hour limit',
  plan_daily_limit: 'daily limit',
  plan_weekly_limit: 'weekly limit',
  plan_monthly_limit: 'monthly limit',
} as const satisfies Partial<Record<Refusal, string>>

const isLimit = (refusal: Refusal): refusal is keyof typeof LIMITS => Object.hasOwn(LIMITS, refusal)

/** Shown if the end of the running covered call is unknown. */
const UNKNOWN_S = 1
const CODE = 'PLAN_LIMIT'

/** @returns undefined for a refusal that is not a plan's */
export function planError({ refusal, resets_at_ms }: Refused, now_ms: number): GatewayError | undefined {
  if (refusal === 'plan_model')
    return permissionDenied(
      "The account's plan does not include this model. GET /api/v1/account lists the models of the plan.",
      { code: 'MODEL_NOT_IN_PLAN' },
    )
  if (refusal === 'plan_concurrency')
    return rateLimited(
      "The account's plan allows no more concurrent calls. Retry after one of the running calls has ended.",
      { code: CODE, retry_after_s: UNKNOWN_S },
    )
  return isLimit(refusal) ? limitError(refusal, resets_at_ms ?? null, now_ms) : undefined
}

function limitError(
  refusal: PlanRefusal & keyof typeof LIMITS,
  resets_at_ms: number | null,
  now_ms: number,
): GatewayError {
  const exceeds = `This call would exceed the ${LIMITS[refusal]} of the account's plan.`
  // The call fits neither now nor later, or the reset time is unknown.
  if (resets_at_ms === null) return insufficientBalance(`${exceeds} Lower max_tokens.`, { code: CODE })
  return rateLimited(
    `${exceeds} The limit resets at ${new Date(resets_at_ms).toISOString()}. Retry then, or lower max_tokens.`,
    { code: CODE, retry_after_s: Math.max(1, Math.ceil((resets_at_ms - now_ms) / 1_000)) },
  )
}
