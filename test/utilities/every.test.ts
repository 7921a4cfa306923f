// Work that is done every so often: when it is due, whatever the clock does.
import { expect, test } from 'bun:test'
import { isDueAgain } from '../../src/utilities/every.ts'

test.each([
  ['before its time', 1_059, false],
  ['at its time', 1_060, true],
  ['after it', 5_000, true],
  ['when it was done', 1_000, false],
  ['where the clock was set back since', 999, true],
])('%s (%d): %p', (_, now_ms, is_due) => {
  expect(isDueAgain(now_ms, 1_060, 60)).toBe(is_due)
})
