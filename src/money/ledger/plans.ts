// The rules of plans: the calls that a plan covers, and how these count against its limits. Pure.
import {
  budgetsStayExact,
  everFit,
  reachedBudget,
  resetOf,
  staysExactResolved,
} from '../../domain/budgets.ts'
import type { Nanos } from '../../domain/money.ts'
import {
  type AccountRow,
  type Book,
  countCost,
  countLost,
  type HoldRow,
  type PlanInForce,
  refused,
} from './book.ts'
import { PERIOD_NAMES } from './limit-refusals.ts'
import type { HoldOperation, Refused } from './operations.ts'

/** Returns the plan that decides whether a call is covered; undefined: the balance pays, which includes calls that cost nothing. */
export const planOf = (
  { plan }: AccountRow,
  { model_id, amount_nanos, now_ms }: HoldOperation,
): PlanInForce | undefined =>
  plan && model_id !== undefined && amount_nanos > 0 && now_ms < plan.covers_until_ms ? plan : undefined

/** Refuses a call that a plan does not cover; undefined: the plan covers any cost of the call up to its ceiling. */
export function planRefusal(
  { budgets, concurrent_calls, running, hasModel }: PlanInForce,
  { model_id = '', amount_nanos, now_ms }: HoldOperation,
): Refused | undefined {
  if (!hasModel(model_id)) return refused('plan_model')
  const reached = reachedBudget(budgets, amount_nanos, now_ms)
  if (reached) {
    const resets_at_ms = everFit(budgets, amount_nanos) ? resetOf(reached, now_ms) : null
    return { ok: false, refusal: `plan_${PERIOD_NAMES[reached.period]}_limit`, resets_at_ms }
  }
  if (concurrent_calls !== null && running >= concurrent_calls) return refused('plan_concurrency')
  return budgetsStayExact(budgets, amount_nanos, now_ms) ? undefined : refused('amount_out_of_range')
}

/** Whether the limits of an account's plan stay exact when a cost replaces a hold. */
export const coversExactly = ({ plan }: AccountRow, hold_id: number, change_nanos: Nanos): boolean =>
  !plan || staysExactResolved(plan.budgets, hold_id, change_nanos)

/** Starts the periods of a lost covered hold. */
export function countCoveredLost(book: Book, { plan }: AccountRow, lost: HoldRow): void {
  if (plan) countLost(book, plan.budgets, lost)
}

/** Replaces a hold's amount in its plan's budgets by the cost of the covered call. */
export function countCoveredCost(
  book: Book,
  { plan }: AccountRow,
  { id, state }: Pick<HoldRow, 'id' | 'state'>,
  change_nanos: Nanos,
): void {
  if (!plan) return
  if (state === 'pending') plan.running = Math.max(0, plan.running - 1)
  countCost(book, plan.budgets, id, change_nanos)
}
