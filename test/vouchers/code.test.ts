// The text of a voucher: read in any typed form, and no typing error becomes another voucher.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { formatCode, generateCode, hintOf, parseCode } from '../../plugins/vouchers/code.ts'
import '../support/seed.ts'

const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const bytes = fc.uint8Array({ minLength: 16, maxLength: 16 })
/** Codes of the first bytes whose check character can be typed on a phone. */
const codes = bytes
  .map((first) => {
    let at = 0
    return generateCode(() => first.map((byte, index) => (index === 15 ? (byte + at++) & 255 : byte)))
  })
  .filter((code) => code !== '')

describe('a code', () => {
  test('has 128 bits and a check character', () => {
    // 2^128 - 2. By 37, 2^36 is 1, and 2^128 as 2^20 is 33: 31 remain.
    const code = generateCode(() => new Uint8Array(16).fill(255).fill(254, 15))
    expect(code).toBe(`7${'Z'.repeat(24)}YZ`)
    expect(formatCode(code)).toBe('7ZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZZZZ-ZYZ')
    expect(hintOf(code)).toBe('7ZZZ')
  })

  test('is made anew while its check character is hard to type', () => {
    const tried: number[] = []
    const code = generateCode((length) => {
      tried.push(length)
      // 32 by 37 is the character "*".
      return Uint8Array.from({ length }, (_, at) => (at === 15 ? (tried.length === 1 ? 32 : 5) : 0))
    })
    expect(tried).toEqual([16, 16])
    expect(code).toBe(`${'0'.repeat(25)}55`)
  })

  test('is read back, in groups and in any typed form', () => {
    fc.assert(
      fc.property(codes, (code) => {
        const typed = [
          code,
          formatCode(code),
          code.toLowerCase(),
          ` ${formatCode(code).replaceAll('-', ' ')}\n`,
          code.replaceAll('0', 'O'),
          code.replaceAll('0', 'o').replaceAll('1', 'l'),
          code.replaceAll('1', 'I'),
        ]
        for (const text of typed) expect(parseCode(text)).toEqual({ kind: 'own', code })
      }),
    )
  })

  test('with one wrong character is a typing error, at each place', () => {
    fc.assert(
      fc.property(codes, fc.nat(26), fc.constantFrom(...DIGITS), (code, at, digit) => {
        if (code[at] === digit) return
        expect(parseCode(code.slice(0, at) + digit + code.slice(at + 1))).toEqual({ kind: 'mistyped' })
      }),
      { numRuns: 500 },
    )
  })

  test('with two characters in each other’s place is a typing error, at all places', () => {
    fc.assert(
      fc.property(codes, fc.nat(25), fc.nat(25), (code, one, other) => {
        if (code[one] === code[other]) return
        const swapped = [...code]
        ;[swapped[one], swapped[other]] = [code[other] ?? '', code[one] ?? '']
        expect(parseCode(swapped.join(''))).toEqual({ kind: 'mistyped' })
      }),
      { numRuns: 500 },
    )
  })
})

describe('another text', () => {
  test.each([
    ['a code of new-api', ' 0123456789abcdef0123456789abcdef ', '0123456789abcdef0123456789abcdef'],
    ['a short text', 'voucher-code-1', 'voucher-code-1'],
    ['a code without its last character', `${'0'.repeat(26)}`, '0'.repeat(26)],
    ['a code with one character more', '0'.repeat(28), '0'.repeat(28)],
    ['a letter that no code has', `U${'0'.repeat(26)}`, `U${'0'.repeat(26)}`],
    ['spaces', '  ', ''],
  ])('%s is kept as it was typed', (_, text, code) => {
    expect(parseCode(text)).toEqual({ kind: 'imported', code })
  })

  test('that is short has no hint', () => {
    expect(hintOf('voucher-code-1')).toBe('')
  })
})
