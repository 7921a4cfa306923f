// The margin of calls: the charges of calls with a known provider cost, minus that cost. Pure.
import type { Nanos } from './money.ts'

/** Sums over the calls whose provider cost is known. */
export interface KnownCosts {
  provider_cost_nanos: Nanos
  /** The charges of these calls, the only revenue to which the margin relates. */
  known_revenue_nanos: Nanos
}

interface Margin {
  margin_nanos: Nanos
  known_revenue_nanos: Nanos
  provider_cost_nanos: Nanos
}

/** The margin of a sum of calls; null if no provider cost is known. */
export const marginOf = ({ provider_cost_nanos, known_revenue_nanos }: KnownCosts): Margin | null =>
  provider_cost_nanos > 0 || known_revenue_nanos > 0
    ? { margin_nanos: known_revenue_nanos - provider_cost_nanos, known_revenue_nanos, provider_cost_nanos }
    : null

/** The margin of one call; null if its provider cost is unknown. */
export const marginOfOne = (cost_nanos: Nanos, provider_cost_nanos: Nanos | null): Nanos | null =>
  provider_cost_nanos === null ? null : cost_nanos - provider_cost_nanos

/**
 * Returns the margin as a percentage of the price, with at most one decimal, rounded half away from 0: `20`, `-12.5`.
 *
 * @returns null if the price is 0
 */
export function marginPercent(price_nanos: Nanos, cost_nanos: Nanos): string | null {
  if (price_nanos <= 0) return null
  const size = BigInt(Math.abs(price_nanos - cost_nanos)) * 1_000n
  const price = BigInt(price_nanos)
  const tenths = (size * 2n + price) / (price * 2n)
  const text = `${tenths / 10n}${tenths % 10n === 0n ? '' : `.${tenths % 10n}`}`
  return price_nanos < cost_nanos && tenths > 0n ? `-${text}` : text
}

/** The margin as a share of its revenue, such as 0.25; null if the revenue is 0 or unknown. */
export const marginShare = (sum: KnownCosts): number | null =>
  sum.known_revenue_nanos > 0
    ? (sum.known_revenue_nanos - sum.provider_cost_nanos) / sum.known_revenue_nanos
    : null
