// The exports of an account: three are read at once, and twelve are begun in a minute; those of others are not counted with them.
import { expect, test } from 'bun:test'
import { createExports } from '../../src/access/rate.ts'

const scene = () => {
  const clock = { now_ms: 0 }
  const exports = createExports(() => clock.now_ms)
  return { clock, begin: (account_id = 1) => exports.begin(account_id) }
}
const AT_ONCE = 'This account is already exporting 3 lists. Try again when one of them finishes.'

test('three are read at once; the end of one makes room for one, however often it is told', () => {
  const { begin } = scene()
  const [end] = [begin(), begin(), begin()]
  expect(() => begin()).toThrow(AT_ONCE)
  expect(() => begin(2)).not.toThrow()
  end()
  end()
  begin()
  expect(() => begin()).toThrow(AT_ONCE)
})

test('one that is refused for those at once is none of the twelve in a minute', () => {
  const { clock, begin } = scene()
  const [first, second, third] = [begin(), begin(), begin()]
  expect(() => begin()).toThrow(AT_ONCE)
  for (const end of [first, second, third]) end()
  for (let begun = 3; begun < 12; begun++) begin()()
  expect(() => begin()).toThrow('This account has exported 12 lists within a minute. Try again in')
  clock.now_ms = 61_000
  begin()
})
