// A year of plans, seeded: renewals, a leap day, months that are not paid, changes in the middle of a month, and 10,000 calls. Covered calls never
// touch the balance, others never the plan; all sums are those of a simple arithmetic beside it.
import { expect, test } from 'bun:test'
import { cancelPlan, keepPlan } from '../../plugins/plans/cancelling.ts'
import { payPeriod } from '../../plugins/plans/paying.ts'
import { periodIn } from '../../plugins/plans/store.ts'
import { type Random, randomFrom } from '../money/ledger/random.ts'
import { hold, post, topUp, voided } from '../money/ledger/world.ts'
import { SEED } from '../support/seed.ts'
import { planScene, USD } from './scene.ts'

const ACCOUNTS = 8
const CALLS = 10_000
const BEGIN_MS = Date.parse('2027-11-29T09:00:00Z')
const END_MS = Date.parse('2028-12-02T00:00:00Z')
const DAY_MS = 86_400_000
const PLANS = ['pro', 'max', 'mini']

/** The expected money of an account, by the outcomes of its calls and months. */
interface Expected {
  balance: number
  spent: number
  covered: number
}

type Scene = ReturnType<typeof planScene>

test(`a year of ${ACCOUNTS} accounts and ${CALLS} calls, TOLLGATE_SEED=${SEED}`, async () => {
  await using scene = planScene({ accounts: ACCOUNTS, balance: 60 * USD })
  const random = randomFrom(SEED)
  scene.clock.now_ms = BEGIN_MS
  const expected = new Map<number, Expected>()
  for (let id = 1; id <= ACCOUNTS; id++) expected.set(id, { balance: 60 * USD, spent: 0, covered: 0 })
  let paid_for_plans = 0
  const taken = (account_id: number, due: number) => {
    const of = expected.get(account_id) as Expected
    of.balance -= due
    paid_for_plans += due
  }
  const withdraw: Scene['parts']['withdraw'] = async (operation) => {
    // Some withdrawals fail, as where the disk is full: the next round tries again.
    if (random.chance(0.05)) throw new Error('the disk is full')
    const outcome = await scene.ledger.submit(operation)
    if (outcome.ok && outcome.first === undefined) taken(operation.account_id, operation.amount_nanos)
    return outcome
  }
  const parts = { ...scene.parts, withdraw }
  const step_ms = Math.floor((END_MS - BEGIN_MS) / CALLS)
  const seen = { covered: 0, from_balance: 0, refused: 0 }
  for (let call = 0; call < CALLS; call++) {
    scene.clock.now_ms += 1 + random.below(2 * step_ms)
    const account_id = 1 + random.below(ACCOUNTS)
    const of = expected.get(account_id) as Expected
    if (random.chance(0.02)) await administer(scene, parts, random, account_id, of)
    if (random.chance(0.2)) await scene.renew({ withdraw }).catch(() => {})
    await makeCall(scene, random, account_id, of, seen)
    if (call % 1_000 === 0) await expectSame(scene, expected)
  }
  await expectSame(scene, expected)
  const months = scene.sql
    .query<{ state: string; ends_ms: number; starts_ms: number }, []>('SELECT * FROM plan_periods')
    .all()
  const lasting = months.filter(({ state }) => state === 'ended' || state === 'active')
  expect(lasting.length).toBeGreaterThan(ACCOUNTS * 4)
  for (const { starts_ms, ends_ms } of lasting) {
    const days = (ends_ms - starts_ms) / DAY_MS
    expect(days >= 28 && days <= 31).toBe(true)
  }
  const leap_ms = Date.parse('2028-02-29T00:00:00Z')
  expect(months.some(({ starts_ms, ends_ms }) => starts_ms < leap_ms && ends_ms > leap_ms)).toBe(true)
  expect(seen.covered).toBeGreaterThan(1_000)
  expect(seen.from_balance).toBeGreaterThan(500)
  const fees = scene.sql
    .query<{ sum: number }, []>(
      "SELECT coalesce(-sum(amount_nanos), 0) AS sum FROM entries WHERE request_key LIKE 'plan:%'",
    )
    .get()
  expect(fees?.sum).toBe(paid_for_plans)
}, 300_000)

/** Buys, changes, cancels, keeps, or tops up. */
async function administer(
  scene: Scene,
  parts: Scene['parts'],
  random: Random,
  account_id: number,
  of: Expected,
) {
  const kind = random.below(10)
  if (kind < 4) {
    const amount = (1 + random.below(60)) * USD
    await scene.ledger.submit(topUp(amount, account_id))
    of.balance += amount
  } else if (kind < 9) {
    const ordered = await scene.order(account_id, PLANS[random.below(3)] ?? 'pro').catch(() => undefined)
    const open = await periodIn(scene.db, account_id, 'open')
    if (ordered && 'period' in ordered && open) {
      await payPeriod(parts, open).catch(() => {})
    }
  } else {
    const { now_ms } = scene.clock
    await scene.inAccount((tx) => cancelPlan(tx, account_id, now_ms), account_id).catch(() => {})
    if (random.chance(0.5))
      await scene.inAccount((tx) => keepPlan(tx, account_id, now_ms), account_id).catch(() => {})
  }
}

async function makeCall(
  scene: Scene,
  random: Random,
  account_id: number,
  of: Expected,
  seen: { covered: number; from_balance: number; refused: number },
): Promise<void> {
  const ceiling = 1 + random.below(USD)
  const { now_ms } = scene.clock
  const model_id = random.chance(0.9) ? 'sim-text' : 'other'
  const before = scene.balance(account_id) ?? 0
  const used_before = usedOf(scene, account_id)
  const held = await scene.ledger.submit(
    hold(ceiling, { account_id, key_id: account_id, now_ms, model_id, expires_at_ms: now_ms + 60_000 }),
  )
  if (!held.ok) {
    seen.refused += 1
    return
  }
  const is_covered = held.plan_period_id !== undefined
  // Some cost more than their ceiling, a little.
  const cost = random.chance(0.02) ? ceiling + random.below(1_000) : random.below(ceiling + 1)
  const flag = is_covered ? ({ is_covered: true } as const) : {}
  const is_void = random.chance(0.1)
  const settlement = is_void ? voided(held.hold_id) : post(held.hold_id, cost, { started_at_ms: now_ms })
  const outcome = await scene.ledger.submit({ ...settlement, now_ms, ...flag })
  expect(outcome.ok).toBe(true)
  const settled = is_void ? 0 : cost
  if (is_covered) {
    seen.covered += 1
    of.covered += settled
    expect(scene.balance(account_id)).toBe(before)
    if (model_id === 'other') throw new Error('a call of another model was covered')
  } else {
    seen.from_balance += 1
    of.spent += settled
    of.balance -= settled
    expect(usedOf(scene, account_id)).toBe(used_before)
  }
}

const usedOf = (scene: Scene, account_id: number): number =>
  scene.sql
    .query<{ sum: number }, [number]>(
      'SELECT coalesce(sum(used_nanos), 0) AS sum FROM budgets WHERE account_id = ? AND plan_period_id IS NOT NULL',
    )
    .get(account_id)?.sum ?? 0

async function expectSame(scene: Scene, expected: ReadonlyMap<number, Expected>): Promise<void> {
  const rows = scene.sql
    .query<{ id: number; balance: number; covered: number; spent: number }, []>(
      `SELECT id, balance_nanos - debt_nanos AS balance,
              (SELECT coalesce(sum(covered_nanos), 0) FROM calls WHERE account_id = accounts.id) AS covered,
              (SELECT coalesce(sum(cost_nanos), 0) FROM calls WHERE account_id = accounts.id) AS spent
         FROM accounts ORDER BY id`,
    )
    .all()
  expect(rows).toEqual([...expected].map(([id, of]) => ({ id, ...of })))
  expect(scene.broken()).toEqual([])
  const over = scene.sql
    .query('SELECT id FROM budgets WHERE plan_period_id IS NOT NULL AND used_nanos > limit_nanos + 1000 * 60')
    .all()
  expect(over).toEqual([])
}
