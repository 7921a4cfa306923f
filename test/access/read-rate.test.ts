// The rate limit of free reads: so many of a key in any 60 seconds.
import { expect, test } from 'bun:test'
import { createReadRate } from '../../src/access/read-rate.ts'

test('a key reads up to its limit in any 60 seconds, and is told how long to wait', () => {
  let at_ms = 0
  const rate = createReadRate(() => at_ms)
  expect([rate.take(1, 2), rate.take(1, 2)]).toEqual([undefined, undefined])
  at_ms = 500
  expect(rate.take(1, 2)).toBe(60)
  expect(rate.take(2, 2)).toBeUndefined()
  at_ms = 59_999
  expect(rate.take(1, 2)).toBe(1)
  at_ms = 60_000
  expect([rate.take(1, 2), rate.take(1, 2)]).toEqual([undefined, undefined])
  expect(rate.take(1, 2)).toBe(60)
})

test('reads that were refused do not count', () => {
  let at_ms = 0
  const rate = createReadRate(() => at_ms)
  rate.take(1, 1)
  for (at_ms = 1_000; at_ms < 60_000; at_ms += 1_000) expect(rate.take(1, 1)).toBe(60 - at_ms / 1_000)
  expect(rate.take(1, 1)).toBeUndefined()
})

test('a limit that is raised or lowered counts at once', () => {
  const rate = createReadRate(() => 0)
  for (let i = 0; i < 5; i++) rate.take(1, 5)
  expect(rate.take(1, 6)).toBeUndefined()
  expect(rate.take(1, 3)).toBe(60)
})
