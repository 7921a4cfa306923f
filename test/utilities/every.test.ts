// Periodic work: when it is due, even if the clock is set back.
import { expect, test } from 'bun:test'
import { isDueAgain } from '../../src/utilities/every.ts'

test.each([
  ['before its time', 1_059, false],
  ['at its time', 1_060, true],
  ['after it', 5_000, true],
  ['at the moment it was done', 1_000, false],
  ['if the clock was set back since', 999, true],
])('it is due %s (%d): %p', (_, now_ms, is_due) => {
  expect(isDueAgain(now_ms, 1_060, 60)).toBe(is_due)
})
