// The figures of the bench: ranks, medians, goals, and a table that lines up.
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

  test('is one of the values, with at least its share of them at or below it', () => {
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

  test('does not disturb what it reads', () => {
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
    ['of a ratio, reached exactly', figure(15, { ratio_at_most: 1.5 }, 10), true],
    ['of a ratio, missed', figure(15.1, { ratio_at_most: 1.5 }, 10), false],
    ['of a difference, reached exactly', figure(1.5, { added_at_most: 0.5 }, 1), true],
    ['of a difference, missed', figure(1.6, { added_at_most: 0.5 }, 1), false],
    ['of an upper bound, missed', figure(151, { at_most: 150 }), false],
    ['of a lower bound, missed', figure(14_999, { at_least: 15_000 }), false],
    ['of a lower bound, reached', figure(15_000, { at_least: 15_000 }), true],
    ['missed by a figure that is not there', figure(Number.NaN, { at_most: 150 }), false],
    ['of a ratio without a peer is undecided', figure(1, { ratio_at_most: 1 }), undefined],
  ])('%s', (_, given, expected) => {
    expect(reaches(given)).toBe(expected)
  })
})

test('the table lines its columns up and says what was missed', () => {
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
