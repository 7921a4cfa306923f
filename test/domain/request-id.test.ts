// Request ids: unique, and each contains its time.
import { describe, expect, test } from 'bun:test'
import { requestIdAt, timeOfRequestId } from '../../src/domain/request-id.ts'

const NOW_MS = 1_795_000_000_000

describe('an id', () => {
  test.each([0, 1, NOW_MS, 2 ** 48 - 1])('made at %d ms contains that time', (now_ms) => {
    const id = requestIdAt(now_ms)
    expect(id).toMatch(/^req_[A-Za-z0-9_-]{22}$/)
    expect(timeOfRequestId(id)).toBe(now_ms)
  })

  test('has its time in its first twelve characters', () => {
    expect(timeOfRequestId(requestIdAt(NOW_MS).slice(0, 12))).toBe(NOW_MS)
  })

  test('is unique within its millisecond', () => {
    const ids = Array.from({ length: 20_000 }, () => requestIdAt(NOW_MS))
    expect(new Set(ids).size).toBe(ids.length)
  })
})

test.each(['', 'req_', 'req_AZ8Abcd', 'AZ8AbcdEfghi', 'REQ_AZ8AbcdE', 'req_AZ8Abcd%', 'req_AZ8Äbcde'])(
  '%p contains no time',
  (text) => {
    expect(timeOfRequestId(text)).toBeUndefined()
  },
)
