// Voucher codes: 128 random bits in Crockford's base 32 (https://www.crockford.com/base32.html), with its check character. Pure.
import type { RandomBytes } from '../../src/access/secret.ts'

/** Without letters that are easily mistaken for digits. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** Check characters for the remainder modulo 37, a prime, which detects every wrong character and every swap of two. */
const CHECK_DIGITS = `${DIGITS}*~$=U`
const RANDOM_BYTES = 16
/** Digits of 128 bits. */
const CODE_DIGITS = 26
const GROUP_CHARS = 4
const HINT_CHARS = 4

const CODE = new RegExp(`^[${DIGITS}]{${CODE_DIGITS}}[${CHECK_DIGITS}]$`)

/** Generates a code without hyphens, as it is hashed. Skips codes with a special check character, which is hard to type on a phone. */
export function generateCode(randomBytes: RandomBytes): string {
  for (;;) {
    const value = [...randomBytes(RANDOM_BYTES)].reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
    const check = checkDigit(value)
    if (/\w/.test(check)) return digitsOf(value) + check
  }
}

/** Formats a code in groups for people. */
export const formatCode = (code: string): string =>
  code.match(new RegExp(`.{1,${GROUP_CHARS}}`, 'g'))?.join('-') ?? ''

/** Returns the first characters of a code, which are stored in the clear to identify vouchers; empty for a short code. */
export const hintOf = (code: string): string => (code.length < CODE_DIGITS ? '' : code.slice(0, HINT_CHARS))

/** The result of parsing: an own code in its hashed form; a code with a typing error; or an imported code, which is hashed as typed. */
type ParsedCode = { kind: 'own' | 'imported'; code: string } | { kind: 'mistyped' }

/** Parses a typed code: accepts lower case, hyphens and spaces, O for 0, and I and L for 1. */
export function parseCode(text: string): ParsedCode {
  const code = text.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1')
  if (!CODE.test(code)) return { kind: 'imported', code: text.trim() }
  const value = [...code.slice(0, CODE_DIGITS)].reduce(
    (sum, digit) => sum * 32n + BigInt(DIGITS.indexOf(digit)),
    0n,
  )
  return code.endsWith(checkDigit(value)) ? { kind: 'own', code } : { kind: 'mistyped' }
}

const checkDigit = (value: bigint): string => CHECK_DIGITS.charAt(Number(value % 37n))

const digitsOf = (value: bigint): string =>
  Array.from({ length: CODE_DIGITS }, (_, at) =>
    DIGITS.charAt(Number((value >> BigInt(5 * (CODE_DIGITS - 1 - at))) & 31n)),
  ).join('')
