// Calendar of plan months: counted from the day of the purchase, or the last day of a shorter month. Pure.
import { floorToCent, type Nanos } from '../../src/domain/money.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'

/** Grace period: an unpaid month is covered for this time after the end of the previous one. */
export const GRACE_MS = 3 * DAY_MS

/** Returns the same day and time (UTC), `months` later. */
export function addMonths(anchor_ms: number, months: number): number {
  const anchor = new Date(anchor_ms)
  const first = Date.UTC(anchor.getUTCFullYear(), anchor.getUTCMonth() + months, 1)
  const in_month = new Date(first)
  const last_day = new Date(Date.UTC(in_month.getUTCFullYear(), in_month.getUTCMonth() + 1, 0)).getUTCDate()
  const time_of_day_ms = ((anchor_ms % DAY_MS) + DAY_MS) % DAY_MS
  return first + (Math.min(anchor.getUTCDate(), last_day) - 1) * DAY_MS + time_of_day_ms
}

/** Returns the part of a price that is not used yet, by time, rounded down. */
export function unusedPriceOf(
  { price_nanos, starts_ms, ends_ms }: { price_nanos: Nanos; starts_ms: number; ends_ms: number },
  now_ms: number,
): Nanos {
  const left_ms = Math.min(Math.max(ends_ms - now_ms, 0), ends_ms - starts_ms)
  return Number((BigInt(price_nanos) * BigInt(left_ms)) / BigInt(ends_ms - starts_ms))
}

/** Returns the credit for a month that another plan replaces: its unused part, rounded down to the cent, since people pay in cents. */
export const creditFor = (month: Parameters<typeof unusedPriceOf>[0], now_ms: number): Nanos =>
  floorToCent(unusedPriceOf(month, now_ms))

interface Priced {
  readonly plan: string
  readonly price_nanos: Nanos
}

/** Returns the price of a following month: for the same plan the lower of the old and the current price, since the account agreed to no more. */
export const priceAfter = (
  before: Priced | undefined,
  { name, price_nanos }: { name: string; price_nanos: Nanos },
): Nanos => (before?.plan === name ? Math.min(before.price_nanos, price_nanos) : price_nanos)
