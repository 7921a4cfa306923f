// The refusals by spend limits, call limits and plans.

/** Periods as refusals name them. */
export const PERIOD_NAMES = { '5h': '5h', day: 'daily', week: 'weekly', month: 'monthly' } as const
type PeriodName = (typeof PERIOD_NAMES)[keyof typeof PERIOD_NAMES]

/** A budget has less left than a call needs. */
export type BudgetRefusal = `${'key' | 'person' | 'account'}_${PeriodName}_limit`
/** A plan does not cover a call, and neither does the balance. */
export type PlanRefusal = `plan_${PeriodName}_limit` | 'plan_model' | 'plan_concurrency'

/** A limit of calls is reached. */
export interface LimitReached {
  of: 'account' | 'key'
  /** Whole seconds, at least 1, until the same hold can be admitted; 1 if that depends on running calls. */
  retry_after_s: number
}
