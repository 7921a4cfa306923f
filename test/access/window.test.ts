// The sliding window: the exact sum of the last 60 seconds, at any size of its ring and any start in it.
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { SlidingWindow } from '../../src/access/window.ts'

describe('a sliding window', () => {
  test('counts an amount until just before 60 seconds after it', () => {
    const window = new SlidingWindow()
    window.add(100, 3)
    expect([100, 60_099, 60_100].map((now) => window.sum(now))).toEqual([3, 3, 0])
  })

  test.each([
    ['already', 11, 0],
    ['when the first has left', 10, 60_000],
    ['when two have', 6, 61_000],
    ['when all have', 1, 62_000],
    ['never: no sum is below 0', 0, Number.POSITIVE_INFINITY],
  ])('predicts when its sum falls below a limit: %s', (_case, limit, wait_ms) => {
    const window = new SlidingWindow()
    window.add(0, 4)
    window.add(1_000, 4)
    window.add(2_000, 2)
    expect(window.untilBelow(limit, 0)).toBe(wait_ms)
  })

  test('has the sum of a plain list, for any sequence of additions', () => {
    const step = fc.record({
      wait_ms: fc.oneof(fc.nat({ max: 3 }), fc.nat({ max: 5_000 }), fc.constantFrom(59_999, 60_000)),
      amount: fc.nat({ max: 1_000 }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
        const window = new SlidingWindow()
        const added: { at: number; amount: number }[] = []
        let now = 0
        for (const { wait_ms, amount } of steps) {
          now += wait_ms
          window.add(now, amount)
          added.push({ at: now, amount })
          const expected = added
            .filter(({ at }) => at > now - 60_000)
            .reduce((sum, entry) => sum + entry.amount, 0)
          expect(window.sum(now)).toBe(expected)
        }
        expect(window.sum(now + 60_000)).toBe(0)
      }),
    )
  })

  test('grows while its oldest entry is in the middle of the ring', () => {
    const window = new SlidingWindow()
    for (let at = 0; at < 8; at++) window.add(at, 1)
    expect(window.sum(60_004)).toBe(3)
    for (let at = 60_004; at < 60_104; at++) window.add(at, 10)
    expect(window.sum(60_104)).toBe(1_000)
    expect(window.sum(120_004)).toBe(990)
  })
})
