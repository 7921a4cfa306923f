// The exports of an account: at most three at once, and twelve started within a minute, counted for each account.
import { expect, test } from 'bun:test'
import { createExports } from '../../src/access/rate.ts'

const scene = () => {
  const clock = { now_ms: 0 }
  const exports = createExports(() => clock.now_ms)
  return { clock, begin: (account_id = 1) => exports.begin(account_id) }
}
const AT_ONCE = 'This account is already exporting 3 lists. Try again when one of them finishes.'

test('three exports run at once; the end of one frees one place, even if it is reported twice', () => {
  const { begin } = scene()
  const [end] = [begin(), begin(), begin()]
  expect(() => begin()).toThrow(AT_ONCE)
  expect(() => begin(2)).not.toThrow()
  end()
  end()
  begin()
  expect(() => begin()).toThrow(AT_ONCE)
})

test('an export refused because three run does not count among the twelve in a minute', () => {
  const { clock, begin } = scene()
  const [first, second, third] = [begin(), begin(), begin()]
  expect(() => begin()).toThrow(AT_ONCE)
  for (const end of [first, second, third]) end()
  for (let started = 3; started < 12; started++) begin()()
  expect(() => begin()).toThrow('This account has exported 12 lists within a minute. Try again in')
  clock.now_ms = 61_000
  begin()
})
