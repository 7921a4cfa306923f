// Numbers as the console's pages write them.
import { describe, expect, test } from 'bun:test'
import {
  aligned,
  balanceUsd,
  briefCount,
  bytes,
  count,
  decimalsFor,
  duration,
  exactUsd,
  fixedUsd,
  longDuration,
  roundedUsd,
  share,
} from '../../plugins/console/web/parts/amounts.ts'
import { clockTime, utcDay } from '../../plugins/console/web/parts/time-words.ts'
import { sizeText } from '../../src/utilities/size-text.ts'

describe('numbers in words', () => {
  test.each([
    [0, '0.00', '0.00'],
    [1, '0.000000001', '0.000000001'],
    [341_250, '0.00034125', '0.00034'],
    [9_999_999, '0.009999999', '0.01'],
    [10_000_000, '0.01', '0.01'],
    [39_000_000, '0.039', '0.039'],
    [99_960_000, '0.09996', '0.10'],
    [100_000_000, '0.10', '0.10'],
    [-2_140_000_000, '−2.14', '−2.14'],
    [1_234_567_890_123, '1,234.567890123', '1,234.57'],
    [Number.MAX_SAFE_INTEGER, '9,007,199.254740991', '9,007,199.25'],
    [-1, '−0.000000001', '−0.000000001'],
  ])('%d nano-dollars are %s, rounded %s', (nanos, exact, rounded) => {
    expect(exactUsd(nanos)).toBe(exact)
    expect(roundedUsd(nanos)).toBe(rounded)
  })

  test.each([
    [0, '0 %'],
    [0.004, '0.4 %'],
    [0.126, '13 %'],
    [1.5, '150 %'],
    [-0.004, '−0.4 %'],
    [-1.5, '−150 %'],
  ])('%d is %s', (value, words) => expect(share(value)).toBe(words))

  test.each([
    [0.4, '0 ms'],
    [412, '412 ms'],
    [2_440, '2.4 s'],
    [59_000, '59 s'],
    [200_000, '3 min 20 s'],
  ])('%d ms take %s', (ms, words) => expect(duration(ms)).toBe(words))

  test.each([
    [0, '0 s'],
    [999, '0 s'],
    [3_600_000, '1 h'],
    [90_000_000, '1 d 1 h'],
    [86_400_000 * 400, '400 d'],
  ])('%d ms last %s', (ms, words) => expect(longDuration(ms)).toBe(words))

  test.each([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1_200_000, '1.2 MB'],
    [250_000_000, '250 MB'],
    [99_960_000, '100 MB'],
    [999_999, '1.0 MB'],
    [4e15, '4000 TB'],
  ])('%d bytes are %s, in the console and to the doctor', (size, words) =>
    expect([bytes(size), sizeText(size)]).toEqual([words, words]),
  )

  test('counts', () => expect([count(12_345), briefCount(12_345)]).toEqual(['12,345', '12.3K']))
})

describe('amounts under each other', () => {
  test.each([
    [
      [0, 1_230_000_000, 10_000_000],
      ['0.00', '1.23', '0.01'],
    ],
    [
      [341_250, 1_200_000_000, 0],
      ['0.00034', '1.20000', '0.00000'],
    ],
    [
      [-341_250, null, 9_999_999],
      ['−0.00034', '–', '0.01000'],
    ],
    [
      [1, 260, -1, 1_200_000],
      ['<0.000001', '<0.000001', '>−0.000001', '0.001200'],
    ],
    [[600], ['0.000001']],
    [
      [39_000_000, 312_000_000],
      ['0.039', '0.312'],
    ],
    [[], []],
  ])('the decimals of %p are the same: %p', (amounts, texts) => {
    const decimals = decimalsFor(amounts)
    expect(amounts.map((nanos) => (nanos === null ? '–' : fixedUsd(nanos, decimals)))).toEqual(texts)
  })

  test('exact amounts keep every digit', () => {
    const text = aligned([341_250, 1_200_000_000])
    expect([text(341_250), text(1_200_000_000)]).toEqual(['0.00034125', '1.20000000'])
  })

  test.each([
    [2_149_999_999, '2.14'],
    [9_999_999, '0.00'],
    [0, '0.00'],
    [-1, '−0.01'],
    [1_234_560_000_000, '1,234.56'],
  ])('a balance of %d nano-dollars is rounded down: %s', (nanos, text) => {
    expect(balanceUsd(nanos)).toBe(text)
  })
})

describe('times in lists', () => {
  const now = new Date(2026, 10, 24, 14, 2, 31)
  test.each([
    [new Date(2026, 10, 24, 9, 5, 7), '09:05:07'],
    [new Date(2026, 10, 23, 23, 59, 0), '23 Nov 23:59'],
    [new Date(2025, 11, 31, 12, 0, 0), '31 Dec 2025'],
  ])('%p is %s', (at, text) => expect(clockTime(at.getTime(), now.getTime())).toBe(text))

  test('a day of UTC has its own name in every zone', () => {
    expect(utcDay(Date.UTC(2026, 10, 24))).toBe('24 Nov')
    expect(utcDay(Date.UTC(2026, 10, 24, 23, 59))).toBe('24 Nov')
  })
})
