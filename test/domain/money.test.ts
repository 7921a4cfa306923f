// Money in nano-dollars: safe integers, read and written digit by digit, rounded up once.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { addProduct, divideRoundingUp, formatUsd, NANOS_PER_USD, parseUsd } from '../../src/domain/money.ts'

describe('parseUsd reads decimals exactly', () => {
  test.each([
    ['0', 0],
    ['12', 12_000_000_000],
    ['0.30', 300_000_000],
    [' 1.50 ', 1_500_000_000],
    ['-1.5', -1_500_000_000],
    ['-0', 0],
    ['0.000000001', 1],
    ['0.0000000010000', 1],
    ['0.1', 100_000_000],
    ['4.1', 4_100_000_000], // 4.1 * 1e9 is 4099999999.9999995 as a float product
    ['9007199.254740991', Number.MAX_SAFE_INTEGER],
    ['00012.5', 12_500_000_000],
  ])('%p', (text, nanos) => {
    expect(parseUsd(text)).toBe(nanos)
  })

  test.each([
    [0.3, 300_000_000],
    [8.2, 8_200_000_000],
    [1e-9, 1],
    [1.5e-7, 150],
  ])('the number %p as its shortest decimal', (number, nanos) => {
    expect(parseUsd(number)).toBe(nanos)
  })
})

describe('parseUsd refuses amounts that it cannot represent exactly', () => {
  test.each([
    '',
    ' ',
    'free',
    '$1',
    '1,50',
    '1.',
    '.5',
    '+1',
    '--1',
    '1e3',
    '0x10',
    '1_000',
    '١',
    '1.5.0',
    'NaN',
    'Infinity',
    '0.0000000001',
    '0.1234567891',
    '9007199.254740992',
    '99999999999999999999',
  ])('%p', (text) => {
    expect(() => parseUsd(text)).toThrow(RangeError)
  })

  test.each([Number.NaN, Number.POSITIVE_INFINITY, 1e-10, 1e22, 0.1 + 0.2])('the number %p', (number) => {
    expect(() => parseUsd(number)).toThrow(RangeError)
  })
})

describe('formatUsd writes at least two and at most nine decimals', () => {
  test.each([
    [0, '0.00'],
    [1, '0.000000001'],
    [-1, '-0.000000001'],
    [10, '0.00000001'],
    [1_500_000_000, '1.50'],
    [1_230_000_000, '1.23'],
    [1_234_000_000, '1.234'],
    [NANOS_PER_USD * 1000, '1000.00'],
    [Number.MAX_SAFE_INTEGER, '9007199.254740991'],
  ])('%p', (nanos, text) => {
    expect(formatUsd(nanos)).toBe(text)
  })

  test('a written amount parses to the same amount', () => {
    fc.assert(fc.property(fc.maxSafeInteger(), (nanos) => parseUsd(formatUsd(nanos)) === nanos))
  })
})

describe('divideRoundingUp', () => {
  test.each([
    [0n, 1_000_000n, 0],
    [1n, 1_000_000n, 1],
    [999_999n, 1_000_000n, 1],
    [1_000_000n, 1_000_000n, 1],
    [1_000_001n, 1_000_000n, 2],
    [BigInt(Number.MAX_SAFE_INTEGER), 1n, Number.MAX_SAFE_INTEGER],
  ])('%p / %p', (amount, divisor, nanos) => {
    expect(divideRoundingUp(amount, divisor)).toBe(nanos)
  })

  test('refuses a result that is not a safe integer', () => {
    expect(() => divideRoundingUp(2n ** 53n, 1n)).toThrow(RangeError)
  })
})

describe('a sum of products is exact at any size', () => {
  /** Values around each bound: of safe integers, of a call's tokens, and of high prices. */
  const count = fc.oneof(
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 }),
    fc.integer({ min: 0, max: 9 }),
    fc.maxSafeInteger(),
  )
  const nanos = fc.oneof(fc.integer({ min: 0, max: 1_000_000_000 }), fc.maxSafeNat())
  const products = fc.array(fc.tuple(count, nanos), { maxLength: 8 })
  const exactly = (list: readonly [number, number][]): bigint =>
    list.reduce((sum, [count, nanos]) => sum + BigInt(count) * BigInt(nanos), 0n)
  const summed = (list: readonly [number, number][]) =>
    list.reduce((sum: number | bigint, [count, nanos]) => addProduct(sum, count, nanos), 0)

  test('it equals the sum in BigInts', () => {
    fc.assert(
      fc.property(products, (list) => expect(BigInt(summed(list))).toBe(exactly(list))),
      { numRuns: 2_000 },
    )
  })

  test('its quotient, rounded up, equals that of the BigInts', () => {
    const quotient = (sum: number | bigint, divisor: bigint) => {
      try {
        return divideRoundingUp(sum, divisor)
      } catch (thrown) {
        return thrown instanceof RangeError ? 'too much' : thrown
      }
    }
    fc.assert(
      fc.property(products, fc.constantFrom(1n, 3n, 1_000_000n), (list, divisor) =>
        expect(quotient(summed(list), divisor)).toBe(quotient(exactly(list), divisor)),
      ),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['the largest safe integer', 1, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['one more', 2, 2 ** 52, 2n ** 53n],
    ['rounded down as a number', 3, 2 ** 52 + 1, 3n * (2n ** 52n + 1n)],
  ])('%s', (_, count, nanos, sum) => {
    expect(addProduct(0, count, nanos)).toBe(sum)
  })

  test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY])('%p is refused as a count', (count) => {
    expect(() => addProduct(0, count, 2)).toThrow(RangeError)
  })
})
