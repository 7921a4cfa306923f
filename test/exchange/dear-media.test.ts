// Media as dear as their format allows: an account with five cents gets what they pay for, however many calls it makes at once.
// The attack `dear-media` makes 1,000 calls for each surface and each medium.
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { BALANCE_USD, DEAR_CASES, dearScene } from '../support/dear-media.ts'
import { buy } from '../support/uncounted-input.ts'

setDefaultTimeout(60_000)
const s = await dearScene()
afterAll(() => s[Symbol.asyncDispose]())

const AT_ONCE = 10

test.each(DEAR_CASES.map((one) => [one.surface, one.medium.name, one] as const))(
  '%s: %s',
  async (_surface, name, one) => {
    const bought = await buy(s, one, '', AT_ONCE, BALANCE_USD)
    expect(bought).toMatchObject({ debt_nanos: 0, held: true })
    expect(bought.strange.filter((status) => status !== 400)).toEqual([])
    // What is cheap can still be bought.
    if (name === 'a PDF of one page' && !one.surface.includes('mini'))
      expect(bought.answers).toBeGreaterThan(0)
  },
)
