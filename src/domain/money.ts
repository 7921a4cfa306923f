// Money in nano-dollars: safe integers, parsed from and formatted as decimal USD.
import { withoutTrailing } from '../utilities/text-ends.ts'

/** Whole nano-dollars (1e-9 USD). Always a safe integer. */
export type Nanos = number

export const NANOS_PER_USD = 1_000_000_000
const NANOS_PER_CENT = 10_000_000

/** Rounds down to the cent. */
export const floorToCent = (nanos: Nanos): Nanos => Math.floor(nanos / NANOS_PER_CENT) * NANOS_PER_CENT

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/

/**
 * Parses decimal USD into nano-dollars digit by digit, without floating-point multiplication.
 *
 * @param text a plain decimal such as `12`, `0.30` or `-1.5`; a number is read as its shortest decimal form
 * @returns nano-dollars
 * @throws RangeError if it is not a plain decimal, has more than nine decimals, or exceeds a safe integer
 */
export function parseUsd(text: string | number): Nanos {
  const match = DECIMAL.exec(typeof text === 'number' ? plainDecimal(text) : text.trim())
  if (!match) throw new RangeError(`"${text}" is not an amount in USD, such as 12.50`)
  const [, sign, whole = '', fraction = ''] = match
  const digits = withoutTrailing(fraction, '0')
  if (digits.length > 9) throw new RangeError(`"${text}" has more than nine decimals of a USD`)
  const nanos = Number(whole + digits.padEnd(9, '0'))
  if (!Number.isSafeInteger(nanos)) throw new RangeError(`"${text}" is more USD than can be counted exactly`)
  return sign ? 0 - nanos : nanos
}

/** Formats nano-dollars as decimal USD with two to nine decimals: `1.50`, `0.000000001`. */
export function formatUsd(nanos: Nanos): string {
  const digits = Math.abs(nanos).toString().padStart(10, '0')
  let end = digits.length
  const shortest = end - 7
  while (end > shortest && digits[end - 1] === '0') end--
  return `${nanos < 0 ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9, end)}`
}

/** An integer of any size: a number while it is a safe integer, which takes a tenth of a BigInt's time. */
export type Whole = number | bigint

/** Returns `sum + count * nanos`, exact at any size. @throws RangeError if the count is no integer */
export function addProduct(sum: Whole, count: number, nanos: Nanos): Whole {
  if (typeof sum === 'number' && Number.isSafeInteger(count)) {
    const product = count * nanos
    const added = sum + product
    if (Number.isSafeInteger(product) && Number.isSafeInteger(added)) return added
  }
  return BigInt(sum) + BigInt(count) * BigInt(nanos)
}

/**
 * Returns `amount / divisor`, rounded up to a whole nano-dollar: the only rounding of money, done once per call.
 *
 * @throws RangeError if the result is no safe integer
 */
export function divideRoundingUp(amount: Whole, divisor: bigint): Nanos {
  if (typeof amount === 'number' && amount >= 0) {
    const whole = Number(divisor)
    const rest = amount % whole
    return (amount - rest) / whole + (rest > 0 ? 1 : 0)
  }
  const nanos = Number((BigInt(amount) + divisor - 1n) / divisor)
  if (!Number.isSafeInteger(nanos))
    throw new RangeError('the cost of a call is more than can be counted exactly')
  return nanos
}

/** Formats a number without an exponent: `String(1e-7)` is `1e-7`. */
function plainDecimal(value: number): string {
  const text = String(value)
  return text.includes('e-') ? withoutTrailing(value.toFixed(20), '0') : text
}
