// The figures of the bench: percentiles, medians, goals, and an aligned table.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  addedAtMost,
  atLeast,
  atMost,
  type Figure,
  figureOf,
  goalsOf,
  median,
  percentile,
  ratioAtLeast,
  ratioAtMost,
  reaches,
  tableOf,
} from './report.ts'

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

const figure = (figure: Partial<Figure>): Figure => ({ what: 'it', unit: 'ms', gateway: 1, ...figure })

describe('a goal', () => {
  test.each([
    ['for a ratio, reached exactly', figure({ ratio: 1.5, goal: ratioAtMost(1.5) }), true],
    ['for a ratio, missed', figure({ ratio: 1.51, goal: ratioAtMost(1.5) }), false],
    ['for a least ratio, reached exactly', figure({ ratio: 0.55, goal: ratioAtLeast(0.55) }), true],
    ['for a least ratio, missed', figure({ ratio: 0.54, goal: ratioAtLeast(0.55) }), false],
    ['for a difference, reached exactly', figure({ added: 0.5, goal: addedAtMost(0.5) }), true],
    ['for a difference, missed', figure({ added: 0.6, goal: addedAtMost(0.5) }), false],
    ['for an upper bound, missed', figure({ gateway: 151, goal: atMost(150) }), false],
    ['for a lower bound, missed', figure({ gateway: 14_999, goal: atLeast(15_000) }), false],
    ['for a lower bound, reached', figure({ gateway: 15_000, goal: atLeast(15_000) }), true],
    ['missed by an unmeasured figure', figure({ gateway: Number.NaN, goal: atMost(150) }), false],
    ['for a ratio, without a forwarder to compare with', figure({ goal: ratioAtMost(1) }), undefined],
    ['that is not set', figure({}), undefined],
  ])('%s', (_, row, expected) => {
    expect(reaches(row)).toBe(expected)
  })
})

describe('a figure of several rounds', () => {
  test('compares each round with its own: a machine twice as slow in one of them changes no ratio', () => {
    expect(figureOf('it', 'us', { gateway: [20, 20, 40], forwarder: [10, 10, 20] })).toEqual({
      what: 'it',
      unit: 'us',
      gateway: 20,
      forwarder: 10,
      ratio: 2,
      added: 10,
    })
  })

  test('has no ratio without a forwarder', () => {
    expect(figureOf('it', 'us', { gateway: [3, 1, 2] })).toEqual({ what: 'it', unit: 'us', gateway: 2 })
  })

  test('has the other checkout beside it, compared with the same forwarder', () => {
    const { before } = figureOf('it', 'us', { gateway: [2], before: [3], forwarder: [1] })
    expect(before).toEqual({ gateway: 3, ratio: 3, added: 2 })
  })
})

const FIGURES = [
  figureOf('CPU per call', 'us', { gateway: [90], forwarder: [50] }, ratioAtMost(1.6, 1.4)),
  figureOf('calls', '/s', { gateway: [5_000], forwarder: [9_000] }),
  figureOf('idle', 'MiB', { gateway: [52.25] }, atMost(90)),
]

describe('a table', () => {
  test('aligns its columns and marks missed goals', () => {
    expect(tableOf(FIGURES)).toBe(
      [
        '              unit  gateway  forwarder  ratio  added  goal',
        'CPU per call  us       90.0       50.0   1.80   40.0  ratio <= 1.6  MISSED',
        'calls         /s       5000       9000   0.56  -4000',
        'idle          MiB      52.3                           <= 90         reached',
      ].join('\n'),
    )
  })

  test('has columns for another checkout', () => {
    const compared = figureOf('CPU', 'us', { gateway: [2], before: [3], forwarder: [1] })
    expect(tableOf([compared])).toBe(
      [
        '     unit  before  gateway  forwarder  ratio before  ratio  added before  added',
        'CPU  us      3.00     2.00       1.00          3.00   2.00          2.00   1.00',
      ].join('\n'),
    )
  })

  test('of goals leaves out figures without one, and names the next goal', () => {
    expect(goalsOf(FIGURES)).toBe(
      [
        '               now  unit  goal          then',
        'CPU per call  1.80        ratio <= 1.6   1.4  MISSED',
        'idle          52.3  MiB   <= 90               reached',
      ].join('\n'),
    )
  })
})
