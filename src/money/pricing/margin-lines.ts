// Margins before any call: what a price has line by line, and what a route's cost has for the same. Pure.
import type { Nanos } from '../../domain/money.ts'
import type { Price } from '../../domain/prices.ts'
import { lineKey, type PriceLine, priceLines } from './price-lines.ts'

/** A line of a price, and what the cost has for the same. */
export interface MarginLine extends Omit<PriceLine, 'nanos'> {
  readonly price_nanos: Nanos
  /** Null if the cost does not name it, such as an extra: nobody said what it costs. */
  readonly cost_nanos: Nanos | null
}

/**
 * All lines of the price, in its order.
 * @param cost of a route; undefined: nobody said it
 */
export function marginLines(price: Price, cost: Price | undefined): MarginLine[] {
  const costs = new Map((cost ? priceLines(cost) : []).map((line) => [lineKey(line), line.nanos]))
  return priceLines(price).map(({ nanos: price_nanos, ...line }) => ({
    ...line,
    price_nanos,
    cost_nanos: costs.get(lineKey(line)) ?? null,
  }))
}
