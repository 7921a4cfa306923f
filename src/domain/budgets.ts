// Budgets: spend limits by period. A call counts in the period in which its hold was opened. Pure.
import type { Nanos } from './money.ts'
import { DAY_MS, dayStart, HOUR_MS } from './ranges.ts'

/** The shortest first. Days, weeks (from Monday) and months are in UTC; `5h` starts with its first call. */
export const BUDGET_PERIODS = ['5h', 'day', 'week', 'month'] as const
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]

/** A spend limit for a period, with the amount used. */
export interface Budget {
  period: BudgetPeriod
  limit_nanos: Nanos
  /** The start of the period; null before the first hold. */
  started_ms: number | null
  /** The first hold that counts. IDs of holds rise with time even if the clock is changed. */
  first_hold_id: number
  /** The sum of the period's open holds and settled costs. */
  used_nanos: Nanos
  /** Set for a plan's month, which is no calendar month: the end of the paid time. The period continues until the next month is paid. */
  readonly ends_ms?: number | undefined
}

/** The remaining amount of the tightest spend limit that a hold counts against. */
export interface SpendLeft {
  of: 'plan' | 'account' | 'person' | 'key'
  period: BudgetPeriod
  limit_nanos: Nanos
  /** Net of the holds of running calls, including this one; at least 0. */
  left_nanos: Nanos
  /** Null for a plan whose next month is still to be paid. */
  resets_in_s: number | null
}

/** The budgets of most accounts and keys. Functions here use loops: array methods would allocate a closure per call. */
export const NO_BUDGETS: readonly never[] = Object.freeze([])

/** Concurrent operations may arrive out of order: one this much older than the start of a period still counts in it. */
const MAX_LATE_MS = 60_000
const FIVE_HOURS_MS = 5 * HOUR_MS
const WEEK_MS = 7 * DAY_MS

/** The start of the month (UTC), `months` later. */
function monthStart(now_ms: number, months = 0): number {
  const date = new Date(now_ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
}

/** The start of the week: Monday, 00:00 UTC. The first day of 1970 was a Thursday. */
export function mondayOf(now_ms: number): number {
  const days = Math.floor(now_ms / DAY_MS)
  return (days - ((((days + 3) % 7) + 7) % 7)) * DAY_MS
}

/** The start of a period whose first call is now. */
export function periodStart(period: BudgetPeriod, now_ms: number): number {
  switch (period) {
    case '5h':
      return now_ms
    case 'day':
      return dayStart(now_ms)
    case 'week':
      return mondayOf(now_ms)
    case 'month':
      return monthStart(now_ms)
  }
}

function periodEnd(period: BudgetPeriod, started_ms: number): number {
  switch (period) {
    case '5h':
      return started_ms + FIVE_HOURS_MS
    case 'day':
      return started_ms + DAY_MS
    case 'week':
      return started_ms + WEEK_MS
    case 'month':
      return monthStart(started_ms, 1)
  }
}

/** Whether a budget's period contains a time. Five hours have no fixed start, so setting the clock back does not restart them. */
const isCurrent = ({ period, started_ms, ends_ms }: Budget, now_ms: number): boolean =>
  started_ms !== null && (ends_ms !== undefined || isWithin(period, started_ms, now_ms))

const isWithin = (period: BudgetPeriod, started_ms: number, now_ms: number): boolean =>
  now_ms >= started_ms - (period === '5h' ? FIVE_HOURS_MS : MAX_LATE_MS) &&
  now_ms < periodEnd(period, started_ms)

/** The costs and open holds of the current period. */
export const usedOf = (budget: Budget, now_ms: number): Nanos =>
  isCurrent(budget, now_ms) ? budget.used_nanos : 0

/** The start of the next period; null for five hours that have not started, and for a plan's month still to be paid. */
export function resetOf(budget: Budget, now_ms: number): number | null {
  const { period, started_ms, ends_ms } = budget
  if (ends_ms !== undefined) return ends_ms > now_ms ? ends_ms : null
  if (started_ms !== null && isCurrent(budget, now_ms)) return periodEnd(period, started_ms)
  return period === '5h' ? null : periodEnd(period, periodStart(period, now_ms))
}

/** The amount that may still be held; negative if calls cost more than their holds. */
export const roomOf = (budget: Budget, now_ms: number): Nanos => budget.limit_nanos - usedOf(budget, now_ms)

/** The smallest remaining amount of several budgets. */
export function leastRoom(budgets: readonly Budget[], now_ms: number): Nanos {
  let least = Infinity
  for (const budget of budgets) least = Math.min(least, roomOf(budget, now_ms))
  return least
}

/** Returns the budget of the longest period that has less left than an amount. @param budgets the shortest period first */
export function reachedBudget(
  budgets: readonly Budget[],
  required_nanos: Nanos,
  now_ms: number,
): Budget | undefined {
  let reached: Budget | undefined
  for (const budget of budgets) if (roomOf(budget, now_ms) < required_nanos) reached = budget
  return reached
}

/** Whether unused limits would cover an amount. */
export const everFit = (budgets: readonly Budget[], required_nanos: Nanos): boolean =>
  budgets.every(({ limit_nanos }) => limit_nanos >= required_nanos)

/** Counts a hold that is opened now, and starts a new period if the current one is over. */
export function countOpened(budget: Budget, hold_id: number, amount_nanos: Nanos, now_ms: number): void {
  if (!isCurrent(budget, now_ms)) {
    budget.started_ms = budget.ends_ms === undefined ? periodStart(budget.period, now_ms) : now_ms
    budget.first_hold_id = hold_id
    budget.used_nanos = 0
  }
  budget.used_nanos += amount_nanos
}

/**
 * Replaces a hold by its cost, if the hold was opened in this period. Decided by the hold's ID, since clocks may change.
 *
 * @param change_nanos the cost minus the held amount
 * @returns whether the hold counts in this period
 */
export function countResolved(budget: Budget, hold_id: number, change_nanos: Nanos): boolean {
  if (!isCounted(budget, hold_id)) return false
  budget.used_nanos = usedAfter(budget, change_nanos)
  return true
}

/** Whether the sums remain exact integers with a hold of that amount. */
export function budgetsStayExact(budgets: readonly Budget[], amount_nanos: Nanos, now_ms: number): boolean {
  for (const budget of budgets) if (!Number.isSafeInteger(usedOf(budget, now_ms) + amount_nanos)) return false
  return true
}

/** Whether the sums remain exact integers with a hold replaced by its cost. */
export function staysExactResolved(
  budgets: readonly Budget[],
  hold_id: number,
  change_nanos: Nanos,
): boolean {
  for (const budget of budgets)
    if (isCounted(budget, hold_id) && !Number.isSafeInteger(usedAfter(budget, change_nanos))) return false
  return true
}

/** At least 0, as the tables require: a wrong count must not prevent a call's settlement. */
const usedAfter = ({ used_nanos }: Budget, change_nanos: Nanos): Nanos =>
  Math.max(0, used_nanos + change_nanos)

const isCounted = ({ started_ms, first_hold_id }: Budget, hold_id: number): boolean =>
  started_ms !== null && hold_id >= first_hold_id
