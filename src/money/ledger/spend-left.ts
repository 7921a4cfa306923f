// The remaining amount of the tightest periodic spend limit of a hold, for callers. Pure.
import { type Budget, resetOf, roomOf, type SpendLeft } from '../../domain/budgets.ts'
import { type AccountRow, type HoldRow, type KeyRow, personBudgets } from './book.ts'

/** @returns undefined if no such limit applies to the hold */
export function spendLeft(account: AccountRow, key: KeyRow, opened: HoldRow): SpendLeft | undefined {
  const { created_at_ms: now_ms, plan_period_id } = opened
  if (plan_period_id !== null)
    return account.plan ? tightest('plan', account.plan.budgets, now_ms) : undefined
  let least = tightest('account', account.budgets, now_ms)
  least = tightest('person', personBudgets(key, opened.id), now_ms, least)
  return tightest('key', key.budgets, now_ms, least)
}

/** Returns the limit with the least left; of equal ones, the first. */
function tightest(
  of: SpendLeft['of'],
  budgets: readonly Budget[],
  now_ms: number,
  before?: SpendLeft,
): SpendLeft | undefined {
  let least = before
  for (const budget of budgets) {
    const left_nanos = Math.max(0, roomOf(budget, now_ms))
    if (least && least.left_nanos <= left_nanos) continue
    const resets_at_ms = resetOf(budget, now_ms)
    const resets_in_s = resets_at_ms === null ? null : Math.max(1, Math.ceil((resets_at_ms - now_ms) / 1_000))
    least = { of, period: budget.period, limit_nanos: budget.limit_nanos, left_nanos, resets_in_s }
  }
  return least
}
