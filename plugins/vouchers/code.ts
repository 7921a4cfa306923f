// The text of a voucher: 128 random bits in Crockford's base 32 (https://www.crockford.com/base32.html), with its check character. Pure.
import type { RandomBytes } from '../../src/access/secret.ts'

/** Letters that are mistaken for digits are not among them. */
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** The remainder by 37, a prime: it shows every wrong character, and every two that changed places. */
const CHECK_DIGITS = `${DIGITS}*~$=U`
const RANDOM_BYTES = 16
/** Of 128 bits. */
const CODE_DIGITS = 26
const GROUP_CHARS = 4
const HINT_CHARS = 4

const CODE = new RegExp(`^[${DIGITS}]{${CODE_DIGITS}}[${CHECK_DIGITS}]$`)

/** A new code without hyphens, as it is hashed. One whose check character is neither letter nor digit is made anew: it is hard to type on a phone. */
export function generateCode(randomBytes: RandomBytes): string {
  for (;;) {
    const value = [...randomBytes(RANDOM_BYTES)].reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
    const check = checkDigit(value)
    if (/\w/.test(check)) return digitsOf(value) + check
  }
}

/** A code in groups, as people read it. */
export const groupedCode = (code: string): string =>
  code.match(new RegExp(`.{1,${GROUP_CHARS}}`, 'g'))?.join('-') ?? ''

/** The first characters of a code, which are stored readable to tell vouchers apart; empty for one that is short. */
export const hintOf = (code: string): string => (code.length < CODE_DIGITS ? '' : code.slice(0, HINT_CHARS))

/** The reading of a text: a code as it is hashed; one with a typing error; or another gateway's, which is hashed as it was typed. */
type ReadCode = { kind: 'own' | 'imported'; code: string } | { kind: 'mistyped' }

/** Reads a code as people type it: in lower case, with hyphens and spaces, O for 0, I and L for 1. */
export function readCode(text: string): ReadCode {
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
