// Text in fields that the gateway does not use: an account gets no more than its one cent pays for, however many calls it makes at once.
// The attack `uncounted-input` makes 200 calls for each field and each class of text.
import { afterAll, expect, test } from 'bun:test'
import { buy, CASES, TEXTS, uncountedScene } from '../support/uncounted-input.ts'

const s = await uncountedScene()
afterAll(() => s[Symbol.asyncDispose]())

/** More calls than the cent pays for. Long numbers are shorter than the other texts, so it pays for more of them. */
const atOnce = (field: string): number => (field === 'a long number' ? 20 : 8)
const texts = Object.entries(TEXTS)

test.each(
  CASES.map((one, at) => {
    const [kind, text] = texts[at % texts.length] ?? ['', '']
    return [one.surface, one.field, kind, one, text] as const
  }),
)('%s, %s: %s', async (_surface, field, _kind, one, text) => {
  const bought = await buy(s, one, text, atOnce(field))
  expect(bought).toMatchObject({ debt_nanos: 0, strange: [], above_hold: 0, held: true })
  expect(bought.answers).toBeWithin(1, atOnce(field))
})
