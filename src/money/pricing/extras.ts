// The cost of extras: the most that those of a request can cost, and what was used of them.
import type { ExtraCharge, ExtraPrices, RequestedExtra } from '../../domain/extras.ts'
import type { Nanos } from '../../domain/money.ts'

/** A provider's report of the extras of a call. */
interface ReportedExtras {
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
export function extrasCeiling(prices: ExtraPrices, requested: readonly RequestedExtra[]): Nanos {
  let nanos = 0
  for (const [name, max_units] of unitLimits(prices, requested))
    nanos += max_units * (prices.get(name)?.nanos ?? 0)
  return Math.min(nanos, Number.MAX_SAFE_INTEGER)
}

/**
 * The charges for the extras of a call. An extra that the provider counts is charged as counted, up to the held units; one
 * that it does not count is used by asking. Of an answer that did not come to its end, each counts as used at least once: a
 * provider may count only at the end.
 */
export function chargedExtras(
  prices: ExtraPrices,
  requested: readonly RequestedExtra[],
  { units, complete }: ReportedExtras,
): ExtraCharge[] {
  const charges: ExtraCharge[] = []
  for (const [name, max_units] of unitLimits(prices, requested)) {
    const price = prices.get(name)
    if (!price) continue
    // An extra that is billed unasked was not used where the provider counts none, but for the fee of a request.
    const count =
      units(name) ?? (price.always && price.per === 'unit' && !isRequested(requested, name) ? 0 : 1)
    const used = Math.min(complete ? count : Math.max(count, 1), max_units)
    if (used > 0) charges.push({ name, per: price.per, nanos: price.nanos, units: used })
  }
  return charges
}

const isRequested = (requested: readonly RequestedExtra[], name: string): boolean =>
  requested.some((extra) => extra.name === name && extra.is_charged)

/** The most units of what the provider may bill to any call. */
const alwaysBilled = (prices: ExtraPrices): Map<string, number> =>
  new Map(
    [...prices].flatMap(([name, { always, max_units }]) => (always ? [[name, max_units] as const] : [])),
  )

/** Whether units are counted in every answer: some are billed unasked. */
export const countsAlways = (prices: ExtraPrices | undefined): boolean =>
  prices !== undefined && [...prices.values()].some(({ always, per }) => always && per !== 'request')

/**
 * The charges for the same extras at other prices, with the extras that these add to each request; undefined if one has no price of the same sort there.
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
  for (const [name, { per, nanos }] of prices ?? [])
    if (per === 'request' && !charges.some((charge) => charge.name === name))
      charges.push({ name, per, nanos, units: 1 })
  return charges
}

/** The most units of each extra: for tools with limits of their own the sum of these, but never more than the price's. */
function unitLimits(prices: ExtraPrices, requested: readonly RequestedExtra[]): Map<string, number> {
  const limits = alwaysBilled(prices)
  for (const { name, max_units, is_charged } of requested) {
    const price = prices.get(name)
    if (!price || !is_charged) continue
    const own = max_units ?? price.max_units
    limits.set(name, price.per !== 'unit' ? 1 : Math.min((limits.get(name) ?? 0) + own, price.max_units))
  }
  return limits
}
