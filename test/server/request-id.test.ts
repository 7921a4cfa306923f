// The ids of requests: unlike each other, and sorted by their time.
import { expect, test } from 'bun:test'
import { requestIdAt } from '../../src/server/request-id.ts'

test.each([
  [0, 'req_000000000'],
  [1, 'req_000000001'],
  [31, 'req_00000000v'],
  [1_795_000_000_000, 'req_1k7n5cng0'],
])('at %d ms begins with %s', (now_ms, beginning) => {
  expect(requestIdAt(now_ms).slice(0, 13)).toBe(beginning)
  expect(requestIdAt(now_ms)).toMatch(/^req_[0-9a-v]{9}[A-Za-z0-9_-]{13}$/)
})

test('those of a later millisecond come later, in the order of bytes', () => {
  const ids = Array.from({ length: 2_000 }, (_, step) => requestIdAt(1_795_000_000_000 + step * 7_919))
  expect(ids.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))).toEqual(ids)
})

test('of one millisecond are all different', () => {
  const ids = Array.from({ length: 20_000 }, () => requestIdAt(1_795_000_000_000))
  expect(new Set(ids).size).toBe(ids.length)
})
