// Reads the prices of service tiers: multipliers of a price's token rates, or separate rates.
import type { TokenPrice } from '../domain/prices.ts'
import { isTierName } from '../domain/service-tiers.ts'
import { type ExactDecimal, parseDecimal } from './decimal.ts'
import type { Report } from './mistakes.ts'
import type { ServiceTierText } from './price-schema.ts'
import { MAX_PRICE_USD, timesTiers } from './tiers.ts'
import type { TomlPath } from './toml.ts'

type OwnRates = Exclude<ServiceTierText, number | string>

interface Reading {
  /** The price to which multipliers apply. */
  standard: TokenPrice
  path: TomlPath
  report: Report
  /** Reads the rates of all prompt sizes. */
  readTiers: (text: OwnRates, path: TomlPath, report: Report, service_tier: string) => TokenPrice['tiers']
}

/** Far above any provider's multiplier. */
const MAX_MULTIPLIER = 100
const MULTIPLIER_MUST = `must be a multiplier above 0 and at most ${MAX_MULTIPLIER}, such as 2.0, or rates of its own`

/** @returns the price of each tier by name, meaningless if a mistake was reported */
export function readServiceTiers(
  texts: Readonly<Record<string, ServiceTierText>>,
  { standard, path, report, readTiers }: Reading,
): ReadonlyMap<string, TokenPrice> {
  const prices = Object.entries(texts).map(([service_tier, text]) => {
    const own = [...path, service_tier]
    if (!isTierName(service_tier))
      report(
        own,
        'must be the name of a tier in lower case, such as priority or flex, and not the standard one',
      )
    const tiers =
      typeof text === 'object'
        ? readTiers(text, own, report, service_tier)
        : multiplied(standard.tiers, readMultiplier(text, own, report), {
            service_tier,
            report: (message) => report(own, message),
          })
    return [service_tier, { unit: 'token', tiers, extras: standard.extras, service_tier }] as const
  })
  return new Map(prices)
}

function readMultiplier(text: number | string, path: TomlPath, report: Report): ExactDecimal {
  if (Number(text) > 0 && Number(text) <= MAX_MULTIPLIER) {
    try {
      return parseDecimal(String(text))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      // Reported below, like any other invalid multiplier.
    }
  }
  report(path, MULTIPLIER_MUST)
  return { coefficient: 1n, exponent: 0 }
}

interface Multiplied {
  service_tier: string
  report: (message: string) => void
}

/** Multiplies rates, rounded up to a whole nano-dollar. */
function multiplied(
  tiers: TokenPrice['tiers'],
  factor: ExactDecimal,
  { service_tier, report }: Multiplied,
): TokenPrice['tiers'] {
  try {
    return timesTiers(tiers, factor, service_tier)
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    report(`makes a rate of more than ${MAX_PRICE_USD} USD: lower it`)
    return tiers
  }
}
