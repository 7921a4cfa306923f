// The figures of the bench: percentiles, medians, goals, and an aligned table.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Figure, median, percentile, reaches, tableOf } from './report.ts'

describe('percentile', () => {
  test.each([
    [[], 0.5, Number.NaN],
    [[7], 0.99, 7],
    [[3, 1, 2], 0.5, 2],
    [[4, 1, 3, 2], 0.5, 2],
    [Array.from({ length: 100 }, (_, i) => i + 1), 0.99, 99],
    [Array.from({ length: 101 }, (_, i) => i + 1), 0.99, 100],
    [[10, 9], 1, 10],
    [[10, 9], 0, 9],
  ])('of %j at %p is %p', (values, share, expected) => {
    expect(percentile(values, share)).toBe(expected)
  })

  test('property: is one of the values, with at least its share of them at or below it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true }), { minLength: 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, share) => {
          const found = percentile(values, share)
          expect(values).toContain(found)
          const covered = values.filter((value) => value <= found).length
          expect(covered).toBeGreaterThanOrEqual(Math.floor(share * values.length))
        },
      ),
    )
  })

  test('leaves its input unchanged', () => {
    const values = [3, 1, 2]
    median(values)
    expect(values).toEqual([3, 1, 2])
  })
})

const figure = (gateway: number, goal: NonNullable<Figure['goal']>, peer?: number): Figure => ({
  what: 'it',
  unit: 'ms',
  gateway,
  goal,
  ...(peer !== undefined && { peer }),
})

describe('a goal', () => {
  test.each([
    ['for a ratio, reached exactly', figure(15, { ratio_at_most: 1.5 }, 10), true],
    ['for a ratio, missed', figure(15.1, { ratio_at_most: 1.5 }, 10), false],
    ['for a difference, reached exactly', figure(1.5, { added_at_most: 0.5 }, 1), true],
    ['for a difference, missed', figure(1.6, { added_at_most: 0.5 }, 1), false],
    ['for an upper bound, missed', figure(151, { at_most: 150 }), false],
    ['for a lower bound, missed', figure(14_999, { at_least: 15_000 }), false],
    ['for a lower bound, reached', figure(15_000, { at_least: 15_000 }), true],
    ['missed by a figure that could not be measured', figure(Number.NaN, { at_most: 150 }), false],
    ['for a ratio, without a peer to compare with', figure(1, { ratio_at_most: 1 }), undefined],
  ])('%s', (_, given, expected) => {
    expect(reaches(given)).toBe(expected)
  })
})

test('the table aligns its columns and marks what was missed', () => {
  const table = tableOf([
    { what: 'CPU per call', unit: 'us', gateway: 90, peer: 50, goal: { ratio_at_most: 1.6 } },
    { what: 'idle', unit: 'MiB', gateway: 52.25, goal: { at_most: 90 } },
  ])
  expect(table).toBe(
    [
      '              unit  gateway  forwarder  ratio  added  goal',
      'CPU per call  us       90.0       50.0   1.80   40.0  ratio <= 1.6  MISSED',
      'idle          MiB      52.3                           <= 90         reached',
    ].join('\n'),
  )
})
