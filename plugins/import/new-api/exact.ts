// Exact numbers of ratios and quotas: fractions of whole numbers, rounded once, where they become nano-dollars.
import { isDecimal, parseDecimal } from '../../../src/catalogue/decimal.ts'
import { formatUsd, NANOS_PER_USD, type Nanos } from '../../../src/domain/money.ts'

/** A fraction; never negative, and never over 0. */
export interface Exact {
  readonly over: bigint
  readonly under: bigint
}

export const ONE: Exact = { over: 1n, under: 1n }

/**
 * A decimal number as JSON has it, by its digits: `0.075`, `1.5e-7`.
 *
 * @returns undefined for what is no number of 0 or more
 */
export function exactOf(value: unknown): Exact | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined
  const text = String(value).trim()
  if (!isDecimal(text)) return undefined
  const { coefficient, exponent } = parseDecimal(text)
  return exponent >= 0
    ? { over: coefficient * 10n ** BigInt(exponent), under: 1n }
    : { over: coefficient, under: 10n ** BigInt(-exponent) }
}

export const exact = (digits: string): Exact => exactOf(digits) ?? ONE

export const times = (...factors: readonly Exact[]): Exact =>
  factors.reduce((one, other) => ({ over: one.over * other.over, under: one.under * other.under }), ONE)

/** @returns undefined for a division by 0 */
export const inverse = ({ over, under }: Exact): Exact | undefined =>
  over === 0n ? undefined : { over: under, under: over }

export const isEqual = (one: Exact, other: Exact): boolean =>
  one.over * other.under === other.over * one.under

export const isZero = ({ over }: Exact): boolean => over === 0n

/** For messages and comparisons: 0.8. */
export const numberOf = ({ over, under }: Exact): number => Number(over) / Number(under)
export const decimalOf = (value: Exact): string => String(numberOf(value))

const NANOS = BigInt(NANOS_PER_USD)

/** Ratios such as 2.5 / 0.3 are floating-point numbers in the source: what is beyond their 16 digits is no amount. */
const NOISE_PART = 1_000_000n

/** An amount in USD as text, rounded up to a nano-dollar: `2.50`. @returns undefined for more than a price may be */
export function usdTextOf(usd: Exact): string | undefined {
  const nanos = (usd.over * NANOS) / usd.under + (isRounded(usd) ? 1n : 0n)
  return nanos <= BigInt(Number.MAX_SAFE_INTEGER) ? formatUsd(Number(nanos)) : undefined
}

/** Whether an amount in USD has parts of a nano-dollar. */
export const isRounded = ({ over, under }: Exact): boolean => ((over * NANOS) % under) * NOISE_PART > under

/**
 * A quota in nano-dollars, cut to a whole one: exact at 500,000 a USD.
 *
 * @param per_usd the option QuotaPerUnit
 */
export function nanosOfQuota(quota: number, { over, under }: Exact): Nanos {
  const nanos = Number((BigInt(quota) * NANOS * under) / over)
  return Number.isSafeInteger(nanos) ? nanos : Math.sign(nanos) * Number.MAX_SAFE_INTEGER
}
