// The cost of extras: the most that those of a request can cost, and what was used of them.
import type { AskedExtra, ExtraCharge, ExtraPrices } from '../domain/extras.ts'
import type { Nanos } from '../domain/money.ts'

/** What a provider told of the extras of a call. */
export interface ExtrasTold {
  /** Units of an extra so far; undefined if the provider counts none. */
  units(name: string): number | undefined
  /** All of the answer came, and its usage is the provider's own. */
  complete: boolean
}

/**
 * The most that the extras of a request can cost. Extras without a price are left out.
 *
 * @returns nano-dollars
 */
export function extrasCeiling(prices: ExtraPrices, asked: readonly AskedExtra[]): Nanos {
  let nanos = 0
  for (const [name, max_units] of unitLimits(prices, asked))
    nanos += max_units * (prices.get(name)?.nanos ?? 0)
  return Math.min(nanos, Number.MAX_SAFE_INTEGER)
}

/**
 * What the extras of a call are charged. One that the provider counts is charged as counted, up to what was held for; one
 * that it does not count is used by asking. Of an answer that did not come to its end, each counts as used at least once: a
 * provider may count only at the end.
 */
export function chargedExtras(
  prices: ExtraPrices,
  asked: readonly AskedExtra[],
  { units, complete }: ExtrasTold,
): ExtraCharge[] {
  const charges: ExtraCharge[] = []
  for (const [name, max_units] of unitLimits(prices, asked)) {
    const price = prices.get(name)
    if (!price) continue
    const told = units(name) ?? 1
    const used = Math.min(complete ? told : Math.max(told, 1), max_units)
    if (used > 0) charges.push({ name, per: price.per, nanos: price.nanos, units: used })
  }
  return charges
}

/**
 * What was charged for extras, at other prices; undefined if one of them has no price of the same sort there.
 * @param prices undefined: none
 */
export function extrasAt(
  prices: ExtraPrices | undefined,
  extras: readonly ExtraCharge[],
): ExtraCharge[] | undefined {
  const charges: ExtraCharge[] = []
  for (const extra of extras) {
    const own = prices?.get(extra.name)
    if (own?.per !== extra.per) return undefined
    charges.push({ ...extra, nanos: own.nanos, units: Math.min(extra.units, own.max_units) })
  }
  return charges
}

/** The most units of each extra: for tools with limits of their own the sum of these, but never more than the price's. */
function unitLimits(prices: ExtraPrices, asked: readonly AskedExtra[]): Map<string, number> {
  const limits = new Map<string, number>()
  for (const { name, max_units, is_charged } of asked) {
    const price = prices.get(name)
    if (!price || !is_charged) continue
    const own = max_units ?? price.max_units
    limits.set(name, price.per === 'call' ? 1 : Math.min((limits.get(name) ?? 0) + own, price.max_units))
  }
  return limits
}
