// A year of plans, seeded: renewals from the balance and by saved cards that fail, a leap day, months that are not paid, changes in the middle of a
// month, and calls. Covered calls never touch the balance, others never the plan; all sums and months equal those of a simple arithmetic beside it.
import { expect, test } from 'bun:test'
import { type Random, randomFrom } from '../money/ledger/random.ts'
import { hold, post, voided } from '../money/ledger/world.ts'
import { ENGINES } from '../payments/world.ts'
import { IS_LONG, timeoutMs } from '../support/long.ts'
import { SEED } from '../support/seed.ts'
import { USD } from './scene.ts'
import { paysByCard, STEADY, type Year, yearOf } from './year.ts'

const ACCOUNTS = 8
const CALLS = 10_000
/** Calls in the suite: at least three in two days, for a month would start anew without a call. */
const FEWER_CALLS = 600
const BEGIN_MS = Date.parse('2027-11-29T09:00:00Z')
const END_MS = Date.parse('2028-12-06T00:00:00Z')
/** A month that began on the 29th of November begins on the leap day, too. */
const LEAP_DAY_MS = Date.parse('2028-02-29T09:00:00Z')
const CHECKS = 10

test.each(ENGINES)(
  `a year of ${ACCOUNTS} accounts on %s, TOLLGATE_SEED=${SEED}`,
  async (_, make) => {
    const random = randomFrom(SEED)
    await using year = await yearOf(make, { random, accounts: ACCOUNTS, begins_ms: BEGIN_MS })
    const { clock } = year.world
    const calls = IS_LONG ? CALLS : FEWER_CALLS
    const step_ms = Math.floor((END_MS - BEGIN_MS) / calls)
    await year.order(STEADY, 'pro', true)
    await year.choose(STEADY, true)
    const counts = { covered: 0, from_balance: 0, refused: 0 }
    for (let call = 0; call < calls; call++) {
      // Less than a day after the previous call: any later, a month would start anew.
      clock.now_ms = BEGIN_MS + call * step_ms + random.below(Math.floor(step_ms / 2))
      const id = year.ids[random.below(ACCOUNTS)] ?? 0
      if (random.chance((0.02 * CALLS) / calls) && id !== STEADY) await administer(year, random, id)
      // A round every four hours or so.
      if (random.chance(Math.min(1, (0.2 * CALLS) / calls)))
        expect([SEED, call, await year.work(random.chance(0.05))]).toEqual([SEED, call, []])
      await makeCall(year, random, id, counts)
      if (call % (calls / CHECKS) === 0) await expectSame(year)
    }
    await expectSame(year)
    const { months } = year.subscriberOf(STEADY)
    expect(months.map(({ paid }) => paid)).toEqual(Array(13).fill(20 * USD))
    expect(months.some(({ starts_ms }) => starts_ms === LEAP_DAY_MS)).toBe(true)
    expect(year.steadyCharges()).toBe(18)
    expect(counts.covered).toBeGreaterThan(calls / 10)
    expect(counts.from_balance).toBeGreaterThan(calls / 20)
  },
  timeoutMs(600_000),
)

/** Buys, changes, cancels, keeps, tops up, chooses the card, suspends. */
async function administer(year: Year, random: Random, id: number): Promise<void> {
  const kind = random.below(20)
  const { is_suspended } = year.subscriberOf(id).account
  // A suspended account buys nothing.
  if (is_suspended && kind >= 4 && kind < 12) return
  if (kind < 4) await (paysByCard(id) ? year.choose(id, true) : year.add(id, (1 + random.below(60)) * USD))
  else if (kind < 8 && !paysByCard(id)) await year.buy(id, random.chance(0.05))
  else if (kind < 12) await year.order(id)
  else if (kind < 16) await year.choose(id, paysByCard(id) || random.chance(0.5))
  else if (kind < 17) await year.choose(id, false)
  else if (kind < 18) {
    await year.cancel(id)
    if (random.chance(0.5)) await year.keep(id)
  } else await year.suspend(id, !is_suspended && random.chance(0.3))
}

async function makeCall(
  year: Year,
  random: Random,
  account_id: number,
  counts: { covered: number; from_balance: number; refused: number },
): Promise<void> {
  const { ledger, clock } = year.world
  const { account } = year.subscriberOf(account_id)
  const { now_ms } = clock
  const ceiling = 1 + random.below(USD)
  const model_id = random.chance(0.9) ? 'sim-text' : 'other'
  const before = await year.moneyOf(account_id)
  const held = await ledger.submit(
    hold(ceiling, { account_id, key_id: account_id, now_ms, model_id, expires_at_ms: now_ms + 60_000 }),
  )
  if (!held.ok) {
    counts.refused += 1
    return
  }
  const is_covered = held.plan_period_id !== undefined
  // Some cost a little more than their ceiling.
  const cost = random.chance(0.02) ? ceiling + random.below(1_000) : random.below(ceiling + 1)
  const flag = is_covered ? ({ is_covered: true } as const) : {}
  const is_void = random.chance(0.1)
  const settlement = is_void ? voided(held.hold_id) : post(held.hold_id, cost, { started_at_ms: now_ms })
  const outcome = await ledger.submit({ ...settlement, now_ms, ...flag })
  expect(outcome.ok).toBe(true)
  const settled = is_void ? 0 : cost
  const after = await year.moneyOf(account_id)
  if (is_covered) {
    counts.covered += 1
    account.covered += settled
    expect([after.balance, model_id]).toEqual([before.balance, 'sim-text'])
  } else {
    counts.from_balance += 1
    account.spent += settled
    account.balance -= settled
    expect(after.used).toBe(before.used)
  }
}

async function expectSame(year: Year): Promise<void> {
  const found = await year.found()
  const expected = year.ids.map((id) => {
    const { months, account, not_begun } = year.subscriberOf(id)
    const { balance, spent, covered } = account
    return {
      ...{ id, balance, spent, covered, not_begun: not_begun.toSorted((one, other) => one - other) },
      months: months.map(({ plan, state, starts_ms, ends_ms, due, paid }) => ({
        ...{ plan, state, starts_ms, ends_ms, due, paid: paid ?? 0 },
      })),
    }
  })
  expect({ seed: SEED, accounts: found }).toEqual({ seed: SEED, accounts: expected })
  expect([SEED, await year.world.broken()]).toEqual([SEED, []])
}
