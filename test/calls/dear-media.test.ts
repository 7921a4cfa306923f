// Expensive media, as expensive as their formats allow: an account gets no more than its five cents pay for, however many calls it makes at once.
// The attack `dear-media` makes 1,000 calls for each surface and each medium.
import { afterAll, describe, expect, test } from 'bun:test'
import { BALANCE_USD, EXPENSIVE_CASES, expensiveMediaScene } from '../support/dear-media.ts'
import { sample } from '../support/long.ts'
import { buy } from '../support/uncounted-input.ts'

const s = await expensiveMediaScene()
afterAll(() => s[Symbol.asyncDispose]())

/** A PDF is measured without regard to the surface and the model, so that most PDFs are sampled. */
const CASES = [...new Set(EXPENSIVE_CASES.map(({ medium }) => medium))].flatMap((medium, row) => {
  const cases = EXPENSIVE_CASES.filter((one) => one.medium === medium)
  const is_whole = medium.mime !== 'application/pdf' || /^a (?:PDF of|file by)/.test(medium.name)
  return (is_whole ? cases : sample(cases, row)).map((one) => [one.surface, medium.name, one] as const)
})

test.each(CASES)('%s: %s', async (_surface, name, one) => {
  // Two at once are enough, because the test also proves that a call costs no more than its hold.
  const bought = await buy(s, one, '', 2, BALANCE_USD)
  expect(bought).toMatchObject({ debt_nanos: 0, above_hold: 0, held: true })
  expect(bought.strange.filter((status) => status !== 400)).toEqual([])
  // Cheap media still get an answer.
  if (name === 'a PDF of one page' && !one.surface.includes('mini')) expect(bought.answers).toBeGreaterThan(0)
})

describe('the refusal of a call whose hold covers the whole context of its model', () => {
  const ADVICE = 'Send files inline instead of by URL or id, PDFs without encryption'
  const uncounted = EXPENSIVE_CASES.filter(({ surface, medium }) =>
    // Chat completions accept no file ids.
    surface.startsWith('chat')
      ? medium.name === 'a video of one long frame'
      : medium.name === 'a file by its address',
  )
  const counted = EXPENSIVE_CASES.filter(({ medium }) => medium.name === 'a PDF of 100 pages')
  const onePerSurface = (cases: typeof EXPENSIVE_CASES) => [
    ...new Map(cases.map((one) => [one.surface.split(' ')[0], one])).values(),
  ]
  const send = async (one: (typeof EXPENSIVE_CASES)[number], key: string) => {
    const response = await fetch(new URL(one.path, s.gateway.url), {
      method: 'POST',
      headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
      body: JSON.stringify(one.body()),
    })
    return { status: response.status, text: await response.text() }
  }

  test.each(onePerSurface(uncounted).map((one) => [one.surface, one] as const))(
    'says how to send the input instead: %s',
    async (_surface, one) => {
      const { status, text } = await send(one, await s.gateway.caller(BALANCE_USD))
      expect(status).toBe(402)
      expect(text).toContain(ADVICE)
    },
  )

  test.each(onePerSurface(counted).map((one) => [one.surface, one] as const))(
    'has no such advice when all input is counted: %s',
    async (_surface, one) => {
      const { status, text } = await send(one, await s.gateway.caller(BALANCE_USD))
      expect(status).toBe(402)
      expect(text).not.toContain(ADVICE)
    },
  )
})
