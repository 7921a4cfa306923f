// The cost of extras: the most for those that a request asks for, and the charge for those that were used.
import type { ExtraCharge, ExtraPrices, RequestedExtra } from '../../domain/extras.ts'
import type { Nanos } from '../../domain/money.ts'

/** A provider's report of a call's extras. */
interface ReportedExtras {
  /** Returns the units of an extra so far; undefined if the provider does not count it. */
  units(name: string): number | undefined
  /** The whole answer arrived, and the provider reported its usage. */
  complete: boolean
}

/**
 * Returns the most that a request's extras can cost. Extras without a price are left out.
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
 * Returns the charges for a call's extras. An extra that the provider counts is charged as counted, up to the held units. One that it
 * does not count is charged as used, since it was requested. In an answer that did not complete, each counts as used at least once: a
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
    // An extra that is billed without a request, and that the provider does not count, was not used; a fee per request always applies.
    const count =
      units(name) ?? (price.always && price.per === 'unit' && !isRequested(requested, name) ? 0 : 1)
    const used = Math.min(complete ? count : Math.max(count, 1), max_units)
    if (used > 0) charges.push({ name, per: price.per, nanos: price.nanos, units: used })
  }
  return charges
}

const isRequested = (requested: readonly RequestedExtra[], name: string): boolean =>
  requested.some((extra) => extra.name === name && extra.is_charged)

/** Returns the unit limits of extras that the provider may bill to any call. */
const alwaysBilled = (prices: ExtraPrices): Map<string, number> =>
  new Map(
    [...prices].flatMap(([name, { always, max_units }]) => (always ? [[name, max_units] as const] : [])),
  )

/** Whether units are counted in every answer, since some are billed without a request. */
export const countsAlways = (prices: ExtraPrices | undefined): boolean =>
  prices !== undefined && [...prices.values()].some(({ always, per }) => always && per !== 'request')

/**
 * Returns the charges for the same extras at other prices, plus those that these add to each request; undefined without a price of the same unit.
 * @param prices undefined: no prices
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

/** Returns the unit limit of each extra: for tools with their own limits the sum of these, but at most the price's limit. */
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
