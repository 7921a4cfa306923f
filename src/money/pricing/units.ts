// Prices by units: the hold, the charge, and the check of a provider's report.
import { divideRoundingUp, type Nanos } from '../../domain/money.ts'
import type { Price, UnitPrice } from '../../domain/prices.ts'
import { RATES, type ReportedUnits, UNITS, type Unit, type Units } from '../../domain/units.ts'
import { NO_USAGE, type Usage } from '../../domain/usage.ts'
import type { Charge } from './charge.ts'
import type { Quote } from './quote.ts'

/** A multiple of every `per` of RATES: at this scale every price of one unit is a whole number. */
const SCALE = Object.values(RATES).reduce((multiple, { per }) => leastMultiple(multiple, BigInt(per)), 1n)

function leastMultiple(one: bigint, other: bigint): bigint {
  let [a, b] = [one, other]
  while (b > 0n) [a, b] = [b, a % b]
  return (one / a) * other
}

/**
 * Returns the charge of a call priced by units: the exact sum of units x rate, rounded up once to a nano-dollar. The counts are
 * stored with the price.
 *
 * @throws RangeError if a count is not a whole number, or the cost exceeds the safe integers
 */
export function chargeUnits(price: UnitPrice, units: Units): Charge {
  const nanos: Record<string, Nanos> = {}
  const billed: Partial<Record<Unit, number>> = {}
  for (const rate of price.rates) {
    const { unit } = RATES[rate.name]
    nanos[rate.name] = rate.nanos
    billed[unit] = units[unit]
  }
  return {
    cost_nanos: divideRoundingUp(scaledCost(price, units), SCALE),
    snapshot: JSON.stringify({ unit: 'unit', nanos, units: billed }),
    counted: { units },
  }
}

/** Returns the cost in nano-dollars x SCALE, so that nothing is rounded yet. */
function scaledCost({ rates }: UnitPrice, units: Units): bigint {
  let sum = 0n
  for (const { name, nanos } of rates) {
    const { unit, per } = RATES[name]
    sum += BigInt(units[unit]) * BigInt(nanos) * (SCALE / BigInt(per))
  }
  return sum
}

/**
 * Quotes the most that the call can use. A smaller hold could not limit what the provider generates.
 *
 * @returns nano-dollars; an amount above the safe integers becomes the largest safe integer
 */
export function quoteUnits(price: UnitPrice, most: Units): Quote {
  const cost = (scaledCost(price, most) + SCALE - 1n) / SCALE
  const nanos = Math.min(Number(cost), Number.MAX_SAFE_INTEGER)
  return { ceiling_nanos: nanos, floor_nanos: nanos }
}

export interface UnitBounds {
  /** The charge without a credible report. */
  estimate: Units
  /** The most that a call can have used. */
  most: Units
  /** Units that the gateway counts exactly, so that they need no report. */
  exact?: readonly Unit[]
}

/** The units that a call is charged for. */
interface BilledUnits {
  units: Units
  /** True if the provider did not report everything that is billed. */
  estimated: boolean
  /** Why a report was not accepted. */
  doubt?: string | undefined
}

/**
 * Checks a provider's report, as `billUsage` does for tokens (silent.md, Streams whose caller left: "Usage absent is
 * not usage zero"): if any count is invalid, or exceeds what was possible, the whole report is ignored.
 */
export function billUnits(
  { rates }: UnitPrice,
  reported: ReportedUnits | undefined,
  { estimate, most, exact = [] }: UnitBounds,
): BilledUnits {
  const wrong = reported && UNITS.find((unit) => !isPossible(reported[unit], most[unit]))
  const accepted = wrong === undefined ? (reported ?? {}) : {}
  const units = { ...estimate }
  for (const unit of UNITS) if (!exact.includes(unit)) units[unit] = accepted[unit] ?? estimate[unit]
  const estimated = rates.some(({ name }) => {
    const { unit } = RATES[name]
    return !exact.includes(unit) && accepted[unit] === undefined
  })
  return { units, estimated, doubt: wrong && `its ${wrong} cannot be` }
}

const isPossible = (count: number | undefined, most: number): boolean =>
  count === undefined || (Number.isSafeInteger(count) && count >= 0 && count <= most)

/** Returns the tokens among the units, as calls record them. */
export const tokensOf = ({ input_tokens, input_audio_tokens, output_tokens }: Units): Usage => ({
  ...NO_USAGE,
  input_tokens,
  input_audio_tokens,
  output_tokens,
})

/** Whether every call at this price is free, whatever it uses. */
export function isFreePrice(price: Price): boolean {
  if (price.unit === 'token')
    return (
      price.tiers.every(({ rates }) => Object.values(rates).every((nanos) => nanos === 0)) &&
      [...(price.extras?.values() ?? [])].every(({ always, nanos }) => !always || nanos === 0) &&
      [...(price.service_tiers?.values() ?? [])].every(isFreePrice)
    )
  return price.unit === 'unit' && price.rates.every(({ nanos }) => nanos === 0)
}
