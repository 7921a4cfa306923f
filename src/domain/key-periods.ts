// The day and the month of a key, which its limits are for: UTC, and a call counts where its hold was opened. Pure.
import type { Nanos } from './money.ts'
import { dayStart } from './ranges.ts'

/** Counts for a key's limits of the day and the month. */
export interface KeyCounters {
  /** Null: nothing was counted yet. */
  day_start_ms: number | null
  day_first_hold_id: number
  day_nanos: Nanos
  month_start_ms: number | null
  month_first_hold_id: number
  month_nanos: Nanos
}

export const NOTHING_COUNTED: KeyCounters = Object.freeze({
  day_start_ms: null,
  day_first_hold_id: 0,
  day_nanos: 0,
  month_start_ms: null,
  month_first_hold_id: 0,
  month_nanos: 0,
})

/** The same with those limits. */
export interface KeyPeriods extends KeyCounters {
  daily_limit_nanos: Nanos | null
  monthly_limit_nanos: Nanos | null
}

/** Operations of a moment may arrive in another order: one that is this much too late still counts in the day that has begun. */
const MAX_LATE_MS = 60_000

/** The begin of the month (UTC), `months` later. */
export function monthStart(now_ms: number, months = 0): number {
  const date = new Date(now_ms)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1)
}

/** The spend of a key is counted by the day and the month only while it has a limit for one of them. */
export const isCounted = (key: KeyPeriods): boolean =>
  key.daily_limit_nanos !== null || key.monthly_limit_nanos !== null

const isOfDay = (start_ms: number | null, now_ms: number): boolean =>
  start_ms !== null && (dayStart(now_ms) === start_ms || isJustBefore(start_ms, now_ms))

const isOfMonth = (start_ms: number | null, now_ms: number): boolean =>
  start_ms !== null && (monthStart(now_ms) === start_ms || isJustBefore(start_ms, now_ms))

const isJustBefore = (start_ms: number, now_ms: number): boolean =>
  now_ms < start_ms && now_ms >= start_ms - MAX_LATE_MS

/** The count for a key's limit of the day: the cost of its calls of today, and the holds of those under way. */
export const dayUsed = (key: KeyPeriods, now_ms: number): Nanos =>
  isCounted(key) && isOfDay(key.day_start_ms, now_ms) ? key.day_nanos : 0

/** The same for the month. */
export const monthUsed = (key: KeyPeriods, now_ms: number): Nanos =>
  isCounted(key) && isOfMonth(key.month_start_ms, now_ms) ? key.month_nanos : 0

/** Counts a hold that is opened now; it begins a new day or month where the last hold was in an earlier one. */
export function countOpened(key: KeyPeriods, hold_id: number, amount_nanos: Nanos, now_ms: number): void {
  if (!isCounted(key)) return
  if (!isOfDay(key.day_start_ms, now_ms)) {
    key.day_start_ms = dayStart(now_ms)
    key.day_first_hold_id = hold_id
    key.day_nanos = 0
    if (!isOfMonth(key.month_start_ms, now_ms)) {
      key.month_start_ms = monthStart(now_ms)
      key.month_first_hold_id = hold_id
      key.month_nanos = 0
    }
  }
  key.day_nanos += amount_nanos
  key.month_nanos += amount_nanos
}

/**
 * Puts a cost in the place of a hold that was opened in the key's day or month: by its number, since clocks may be set.
 *
 * @param change_nanos the cost, less what the hold still counts
 */
export function countResolved(key: KeyPeriods, hold_id: number, change_nanos: Nanos): void {
  if (!isCounted(key)) return
  if (key.day_start_ms !== null && hold_id >= key.day_first_hold_id) key.day_nanos += change_nanos
  if (isCountedInMonth(key, hold_id)) key.month_nanos += change_nanos
}

/** The month's count with a cost in the place of a hold; its day counts no more. */
export const monthWith = (key: KeyPeriods, hold_id: number, change_nanos: Nanos): Nanos =>
  key.month_nanos + (isCountedInMonth(key, hold_id) ? change_nanos : 0)

const isCountedInMonth = (key: KeyPeriods, hold_id: number): boolean =>
  isCounted(key) && key.month_start_ms !== null && hold_id >= key.month_first_hold_id
