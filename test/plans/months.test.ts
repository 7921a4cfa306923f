// Months of plans from the day of the purchase, and the unused part of a price.
import { describe, expect, test } from 'bun:test'
import { addMonths, priceAfter, unusedPriceOf } from '../../plugins/plans/months.ts'

const at = (iso: string) => Date.parse(iso)
const iso = (ms: number) => new Date(ms).toISOString().slice(0, 19)

describe('a month later', () => {
  test.each([
    ['2026-11-15T10:30:00', 1, '2026-12-15T10:30:00'],
    ['2026-12-15T10:30:00', 1, '2027-01-15T10:30:00'],
    ['2027-01-31T23:59:59', 1, '2027-02-28T23:59:59'],
    ['2027-01-31T23:59:59', 2, '2027-03-31T23:59:59'],
    ['2027-01-31T00:00:00', 3, '2027-04-30T00:00:00'],
    ['2028-01-30T12:00:00', 1, '2028-02-29T12:00:00'],
    ['2028-02-29T12:00:00', 1, '2028-03-29T12:00:00'],
    ['2028-02-29T12:00:00', 12, '2029-02-28T12:00:00'],
    ['2028-02-29T12:00:00', 48, '2032-02-29T12:00:00'],
    ['2026-10-31T00:00:00', 4, '2027-02-28T00:00:00'],
    ['2026-11-15T10:30:00', 0, '2026-11-15T10:30:00'],
  ])('than %s, %d times, is %s', (from, months, expected) => {
    expect(iso(addMonths(at(`${from}Z`), months))).toBe(expected)
  })
})

describe('the rest of a price', () => {
  const month = (price_nanos: number) => ({ price_nanos, starts_ms: 1_000, ends_ms: 4_000 })
  test.each([
    ['at the start', 20, 1_000, 20],
    ['before the start', 20, 500, 20],
    ['after a third', 20, 2_000, 13],
    ['a moment before the end', 20, 3_999, 0],
    ['at the end', 20, 4_000, 0],
    ['after the end', 20, 9_000, 0],
    ['of the greatest amount', Number.MAX_SAFE_INTEGER, 2_500, 4_503_599_627_370_495],
    ['of zero', 0, 2_000, 0],
  ])('%s of %d', (_, price, now_ms, expected) => {
    expect(unusedPriceOf(month(price), now_ms)).toBe(expected)
  })
})

describe('the price of a month after another', () => {
  const of = (plan: string, price_nanos: number) => ({ plan, name: plan, price_nanos })
  test.each([
    ['of the same plan, raised, is the previous price', of('pro', 20), of('pro', 30), 20],
    ['of the same plan, lowered, is the lower price', of('pro', 20), of('pro', 10), 10],
    ['of another plan is that plan’s price', of('mini', 5), of('pro', 30), 30],
    ['of a first plan is its own price', undefined, of('pro', 30), 30],
  ])('%s', (_, before, plan, expected) => {
    expect(priceAfter(before, plan)).toBe(expected)
  })
})
