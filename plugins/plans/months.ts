// Months of plans: counted from the day of the purchase, the last day of a month where it has no such day. Pure.
import type { Nanos } from '../../src/domain/money.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'

/** A month that is not paid at its begin is still covered for so long. */
export const GRACE_MS = 3 * DAY_MS

/** The same day and time (UTC), `months` later. */
export function addMonths(anchor_ms: number, months: number): number {
  const anchor = new Date(anchor_ms)
  const first = Date.UTC(anchor.getUTCFullYear(), anchor.getUTCMonth() + months, 1)
  const in_month = new Date(first)
  const last_day = new Date(Date.UTC(in_month.getUTCFullYear(), in_month.getUTCMonth() + 1, 0)).getUTCDate()
  const time_of_day_ms = ((anchor_ms % DAY_MS) + DAY_MS) % DAY_MS
  return first + (Math.min(anchor.getUTCDate(), last_day) - 1) * DAY_MS + time_of_day_ms
}

/** The part of a price that is not used yet, by time; fractions of a nano-dollar are used. */
export function unusedOf(
  { price_nanos, starts_ms, ends_ms }: { price_nanos: Nanos; starts_ms: number; ends_ms: number },
  now_ms: number,
): Nanos {
  const left_ms = Math.min(Math.max(ends_ms - now_ms, 0), ends_ms - starts_ms)
  return Number((BigInt(price_nanos) * BigInt(left_ms)) / BigInt(ends_ms - starts_ms))
}

interface Priced {
  readonly plan: string
  readonly price_nanos: Nanos
}

/** The price of a month after another: of the same plan never dearer, since nobody agreed to more; cheaper where it has become so. */
export const priceAfter = (
  before: Priced | undefined,
  { name, price_nanos }: { name: string; price_nanos: Nanos },
): Nanos => (before?.plan === name ? Math.min(before.price_nanos, price_nanos) : price_nanos)
