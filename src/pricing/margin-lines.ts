// Margins before any call: what a price has line by line, and what a route's cost has for the same. Pure.
import type { Nanos } from '../domain/money.ts'
import type { Price } from '../domain/prices.ts'
import { type PriceLine, priceLines } from './price-lines.ts'

/** A line that a price and a cost both have. */
export interface MarginLine extends Omit<PriceLine, 'nanos'> {
  readonly price_nanos: Nanos
  readonly cost_nanos: Nanos
}

/** The lines that both have, in the order of the price. */
export function marginLines(price: Price, cost: Price): MarginLine[] {
  const costs = new Map(priceLines(cost).map((line) => [nameOf(line), line.nanos]))
  return priceLines(price).flatMap(({ nanos: price_nanos, ...line }) => {
    const cost_nanos = costs.get(nameOf(line))
    return cost_nanos === undefined ? [] : [{ ...line, price_nanos, cost_nanos }]
  })
}

const nameOf = ({ name, of, per }: Omit<PriceLine, 'nanos'>): string => JSON.stringify([name, of, per])
