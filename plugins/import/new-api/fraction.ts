// Exact fractions for ratios and quotas, rounded once, in the conversion to nano-dollars.
import { isDecimal, parseDecimal } from '../../../src/catalogue/decimal.ts'
import { formatUsd, NANOS_PER_USD, type Nanos } from '../../../src/domain/money.ts'

/** A fraction of 0 or more; its denominator is never 0. */
export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

export const ONE: Fraction = { numerator: 1n, denominator: 1n }

/** Reads a decimal number of JSON by its digits: `0.075`, `1.5e-7`. @returns undefined unless it is a number of 0 or more */
export function parseFraction(value: unknown): Fraction | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const text = String(value).trim()
  if (!isDecimal(text)) return undefined
  const { coefficient, exponent } = parseDecimal(text)
  return exponent >= 0
    ? { numerator: coefficient * 10n ** BigInt(exponent), denominator: 1n }
    : { numerator: coefficient, denominator: 10n ** BigInt(-exponent) }
}

export const fraction = (digits: string): Fraction => parseFraction(digits) ?? ONE

export const times = (...factors: readonly Fraction[]): Fraction =>
  factors.reduce(
    (one, other) => ({
      numerator: one.numerator * other.numerator,
      denominator: one.denominator * other.denominator,
    }),
    ONE,
  )

/** @returns undefined for a division by 0 */
export const inverse = ({ numerator, denominator }: Fraction): Fraction | undefined =>
  numerator === 0n ? undefined : { numerator: denominator, denominator: numerator }

export const isEqual = (one: Fraction, other: Fraction): boolean =>
  one.numerator * other.denominator === other.numerator * one.denominator

export const isZero = ({ numerator }: Fraction): boolean => numerator === 0n

/** As a floating-point number, for messages and comparisons: 0.8. */
export const numberOf = ({ numerator, denominator }: Fraction): number =>
  Number(numerator) / Number(denominator)
export const decimalOf = (value: Fraction): string => String(numberOf(value))

const NANOS = BigInt(NANOS_PER_USD)

/** The source's ratios such as 2.5 / 0.3 are floating-point numbers: digits beyond the 16th are rounding errors, not amounts. */
const NOISE_PART = 1_000_000n

/** An amount in USD as text, rounded up to a nano-dollar: `2.50`. @returns undefined above the largest safe integer of nano-dollars */
export function usdTextOf(usd: Fraction): string | undefined {
  const nanos = (usd.numerator * NANOS) / usd.denominator + (needsRounding(usd) ? 1n : 0n)
  return nanos <= BigInt(Number.MAX_SAFE_INTEGER) ? formatUsd(Number(nanos)) : undefined
}

/** Whether an amount in USD has a fraction of a nano-dollar above `NOISE_PART`. */
export const needsRounding = ({ numerator, denominator }: Fraction): boolean =>
  ((numerator * NANOS) % denominator) * NOISE_PART > denominator

/** Converts a quota to nano-dollars, cut towards 0: exact at 500,000 per USD. @param per_usd the option QuotaPerUnit */
export function nanosOfQuota(quota: number, { numerator, denominator }: Fraction): Nanos {
  const nanos = Number((BigInt(quota) * NANOS * denominator) / numerator)
  return Number.isSafeInteger(nanos) ? nanos : Math.sign(nanos) * Number.MAX_SAFE_INTEGER
}
