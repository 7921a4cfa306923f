// Budgets: limits of spending by period. A call counts in the period in which its hold was opened. Pure.
import type { Nanos } from './money.ts'
import { DAY_MS, dayStart, HOUR_MS } from './ranges.ts'

/** The shortest first. Days, weeks (from Monday) and months are of UTC; `5h` starts with its first call. */
export const BUDGET_PERIODS = ['5h', 'day', 'week', 'month'] as const
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]

/** A limit for a period, and what counts against it. */
export interface Budget {
  period: BudgetPeriod
  limit_nanos: Nanos
  /** When the period began; null: nothing was counted yet. */
  started_ms: number | null
  /** The first hold that counts: holds rise with time, whatever clocks say. */
  first_hold_id: number
  /** What its holds hold and its calls cost. */
  used_nanos: Nanos
  /** Of a plan's month, which is not one of the calendar: when what was paid for ends. It goes on until another is paid. */
  readonly ends_ms?: number | undefined
}

/** The remaining amount of the tightest limit of spending by period that a hold counts against. */
export interface SpendLeft {
  of: 'plan' | 'account' | 'person' | 'key'
  period: BudgetPeriod
  limit_nanos: Nanos
  /** With the holds of running calls taken off, this one's, too; at least 0. */
  left_nanos: Nanos
  /** Null: the month of a plan whose next one is to be paid. */
  resets_in_s: number | null
}

/** Of most accounts and keys. So loops go over budgets: a closure would be made for each call, for nothing. */
export const NO_BUDGETS: readonly never[] = Object.freeze([])

/** Operations of a moment may arrive in another order: one that is this much too late still counts in the period that has begun. */
const MAX_LATE_MS = 60_000
const FIVE_HOURS_MS = 5 * HOUR_MS
const WEEK_MS = 7 * DAY_MS

/** The begin of the month (UTC), `months` later. */
function monthStart(now_ms: number, months = 0): number {
  const date = new Date(now_ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
}

/** The begin of the week: Monday, 00:00 UTC. The first day of 1970 was a Thursday. */
export function mondayOf(now_ms: number): number {
  const days = Math.floor(now_ms / DAY_MS)
  return (days - ((((days + 3) % 7) + 7) % 7)) * DAY_MS
}

/** When the period of a call begins that is the first of it. */
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

/** Five hours begin at no time of the clock: whoever sets it back does not begin them anew. */
const isCurrent = ({ period, started_ms, ends_ms }: Budget, now_ms: number): boolean =>
  started_ms !== null && (ends_ms !== undefined || isWithin(period, started_ms, now_ms))

const isWithin = (period: BudgetPeriod, started_ms: number, now_ms: number): boolean =>
  now_ms >= started_ms - (period === '5h' ? FIVE_HOURS_MS : MAX_LATE_MS) &&
  now_ms < periodEnd(period, started_ms)

/** What its calls of the current period cost, and what those under way hold. */
export const usedOf = (budget: Budget, now_ms: number): Nanos =>
  isCurrent(budget, now_ms) ? budget.used_nanos : 0

/** When it begins anew; null for five hours that have not started, and for the month of a plan that is to be paid. */
export function resetOf(budget: Budget, now_ms: number): number | null {
  const { period, started_ms, ends_ms } = budget
  if (ends_ms !== undefined) return ends_ms > now_ms ? ends_ms : null
  if (started_ms !== null && isCurrent(budget, now_ms)) return periodEnd(period, started_ms)
  return period === '5h' ? null : periodEnd(period, periodStart(period, now_ms))
}

/** How much more may be held; negative where calls cost more than their holds. */
export const roomOf = (budget: Budget, now_ms: number): Nanos => budget.limit_nanos - usedOf(budget, now_ms)

/** The least room of several. */
export function leastRoom(budgets: readonly Budget[], now_ms: number): Nanos {
  let least = Infinity
  for (const budget of budgets) least = Math.min(least, roomOf(budget, now_ms))
  return least
}

/** The budget of the longest period that has less room than an amount needs. @param budgets the shortest period first */
export function reachedBudget(
  budgets: readonly Budget[],
  required_nanos: Nanos,
  now_ms: number,
): Budget | undefined {
  let reached: Budget | undefined
  for (const budget of budgets) if (roomOf(budget, now_ms) < required_nanos) reached = budget
  return reached
}

/** Whether limits have room for an amount while nothing is used of them. */
export const everFit = (budgets: readonly Budget[], required_nanos: Nanos): boolean =>
  budgets.every(({ limit_nanos }) => limit_nanos >= required_nanos)

/** Counts a hold that is opened now; it begins a new period where the last hold was in an earlier one. */
export function countOpened(budget: Budget, hold_id: number, amount_nanos: Nanos, now_ms: number): void {
  if (!isCurrent(budget, now_ms)) {
    budget.started_ms = budget.ends_ms === undefined ? periodStart(budget.period, now_ms) : now_ms
    budget.first_hold_id = hold_id
    budget.used_nanos = 0
  }
  budget.used_nanos += amount_nanos
}

/**
 * Puts a cost in the place of a hold that was opened in the period: by its number, since clocks may be set.
 *
 * @param change_nanos the cost, less what the hold still counts
 * @returns whether it counts in this period
 */
export function countResolved(budget: Budget, hold_id: number, change_nanos: Nanos): boolean {
  if (!isCounted(budget, hold_id)) return false
  budget.used_nanos = usedAfter(budget, change_nanos)
  return true
}

/** Whether the sums with a hold of that amount stay exact. */
export function staysExactOpened(budgets: readonly Budget[], amount_nanos: Nanos, now_ms: number): boolean {
  for (const budget of budgets) if (!Number.isSafeInteger(usedOf(budget, now_ms) + amount_nanos)) return false
  return true
}

/** Whether the sums with a cost in the place of a hold stay exact. */
export function staysExactResolved(
  budgets: readonly Budget[],
  hold_id: number,
  change_nanos: Nanos,
): boolean {
  for (const budget of budgets)
    if (isCounted(budget, hold_id) && !Number.isSafeInteger(usedAfter(budget, change_nanos))) return false
  return true
}

/** Never less than nothing, which no row may have: a count that went wrong must not keep a call from being settled. */
const usedAfter = ({ used_nanos }: Budget, change_nanos: Nanos): Nanos =>
  Math.max(0, used_nanos + change_nanos)

const isCounted = ({ started_ms, first_hold_id }: Budget, hold_id: number): boolean =>
  started_ms !== null && hold_id >= first_hold_id
