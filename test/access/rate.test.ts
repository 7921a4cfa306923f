// Rate limits with counts in memory: image calls of an account, free reads of a key, in any 60 seconds.
import { expect, test } from 'bun:test'
import { createRate } from '../../src/access/rate.ts'
import { randomFrom } from '../money/ledger/random.ts'
import { SEED } from '../support/seed.ts'

test('exactly 30 calls are admitted in any 60 seconds, and one more as soon as the first is 60 seconds old', () => {
  const clock = { ms: 0 }
  const rate = createRate(() => clock.ms)
  for (let count = 1; count <= 30; count++) {
    clock.ms += 10
    expect(rate.take(1, 30)).toMatchObject({ admitted: true, remaining: 30 - count })
  }
  expect(rate.take(1, 30)).toEqual({ admitted: false, limit: 30, remaining: 0, resets_in_s: 60 })
  clock.ms = 60_009
  expect(rate.take(1, 30)).toEqual({ admitted: false, limit: 30, remaining: 0, resets_in_s: 1 })
  clock.ms = 60_010
  expect(rate.take(1, 30)).toMatchObject({ admitted: true, remaining: 0 })
  expect(rate.take(1, 30)).toMatchObject({ admitted: false })
})

test('accounts do not share the limit', () => {
  const rate = createRate(() => 0)
  for (let count = 0; count < 30; count++) rate.take(1, 30)
  expect(rate.take(1, 30).admitted).toBe(false)
  expect(rate.take(2, 30)).toMatchObject({ admitted: true, remaining: 29 })
})

test('the rate decides as a list of all admitted calls does, over random times and accounts', () => {
  const random = randomFrom(SEED)
  const clock = { ms: 0 }
  const rate = createRate(() => clock.ms)
  const admitted = new Map<number, number[]>()
  for (let step = 0; step < 5_000; step++) {
    clock.ms += random.below(3_000)
    const account_id = random.below(3)
    const recent = (admitted.get(account_id) ?? []).filter((at) => at > clock.ms - 60_000)
    const expected = recent.length < 30
    const state = rate.take(account_id, 30)
    if (expected) recent.push(clock.ms)
    admitted.set(account_id, recent)
    expect({ seed: SEED, step, ...state }).toMatchObject({
      seed: SEED,
      step,
      admitted: expected,
      remaining: 30 - recent.length,
    })
    expect(state.resets_in_s).toBe(Math.ceil(((recent[0] ?? 0) + 60_000 - clock.ms) / 1_000))
  }
})

test('a key reads up to its limit in any 60 seconds, then gets the time to wait', () => {
  let at_ms = 0
  const rate = createRate(() => at_ms)
  expect([rate.take(1, 2).admitted, rate.take(1, 2).admitted]).toEqual([true, true])
  at_ms = 500
  expect(rate.take(1, 2)).toMatchObject({ admitted: false, resets_in_s: 60 })
  expect(rate.take(2, 2).admitted).toBe(true)
  at_ms = 59_999
  expect(rate.take(1, 2)).toMatchObject({ admitted: false, resets_in_s: 1 })
  at_ms = 60_000
  expect([rate.take(1, 2).admitted, rate.take(1, 2).admitted]).toEqual([true, true])
  expect(rate.take(1, 2)).toMatchObject({ admitted: false, resets_in_s: 60 })
})

test('refused reads do not count', () => {
  let at_ms = 0
  const rate = createRate(() => at_ms)
  rate.take(1, 1)
  for (at_ms = 1_000; at_ms < 60_000; at_ms += 1_000)
    expect(rate.take(1, 1)).toMatchObject({ admitted: false, resets_in_s: 60 - at_ms / 1_000 })
  expect(rate.take(1, 1).admitted).toBe(true)
})

test('a raised or lowered limit takes effect at once', () => {
  const rate = createRate(() => 0)
  for (let i = 0; i < 5; i++) rate.take(1, 5)
  expect(rate.take(1, 6).admitted).toBe(true)
  expect(rate.take(1, 3)).toMatchObject({ admitted: false, resets_in_s: 60 })
})
