// The simulation: seeded random operations of two connections, whose outcomes must be those of a simple model, with every
// invariant intact. On SQLite each connection has a writer that knows the rows of its earlier batches, on PostgreSQL each is a process of
// its own; a third changes rows in between, and expires holds of calls that settle all the same.
import { expect, test } from 'bun:test'
import type { Operation, Outcome } from '../../../src/money/ledger/operations.ts'
import { timeoutMs } from '../../support/long.ts'
import { hasPostgres } from '../../support/postgres.ts'
import { SEED } from '../../support/seed.ts'
import { Model, type ModelLimits } from './model.ts'
import { type Random, randomFrom } from './random.ts'
import { THINGS, thingsOf } from './rows-with-states.ts'
import { ACCOUNTS, nextOperation } from './simulated-operations.ts'
import { postgresSimulated } from './simulated-postgres.ts'
import { sqliteSimulated } from './simulated-sqlite.ts'
import { withoutResets } from './steps.ts'
import { budgetsText, expire, type KeySetup, NOW, personText, planTexts } from './world.ts'

const OPERATIONS = Number(process.env.TOLLGATE_SIMULATION_OPERATIONS ?? 40_000)
/** A batch waits for the server. */
const OPERATIONS_THERE = Math.ceil(OPERATIONS / 20)
const AUDITS = 20

const MAX_BATCH_OPERATIONS = 32
/** Pauses between two operations, now and then: days go by, and months. */
const MAX_PAUSE_MS = 86_400_000

/** The ledger that is compared with the model. Holds are numbered as in the model. */
export interface Simulated extends AsyncDisposable {
  addAccount(id: number): Promise<void>
  addKey(id: number, account_id: number, limits: KeySetup): Promise<void>
  /**
   * @param writer which of three connections
   * @param expected the outcomes that the model has
   * @returns the outcomes
   */
  commit(writer: number, operations: Operation[], expected: readonly Outcome[]): Promise<unknown[]>
  /** The number of plans that each account has had. */
  plans_started: Map<number, number>
  /** Changes rows by a text of SQL. */
  run(text: string): Promise<void>
  accounts(): Promise<{ id: number; balance_nanos: number; held_nanos: number; debt_nanos: number }[]>
  things(): Promise<{ id: number; account_id: number | null; state: string }[]>
  brokenInvariants(): Promise<string[]>
}

const SWEEPER = 2

/** Some have a long period alone, since the limits of shorter ones would stop most calls before it is used up. */
const ACCOUNT_LIMITS: readonly ModelLimits[] = [
  { '5h': 700, day: 900, week: 2_000, month: 4_000 },
  { '5h': 500, day: 650 },
  { day: 600 },
  { week: 1_200 },
  { '5h': 500, day: 900 },
  { month: 1_800 },
]

/** Each plan of an account has the next one of these. */
const PLAN_LIMITS: readonly ModelLimits[] = [
  { '5h': 500, day: 800, week: 2_500, month: 6_000 },
  { '5h': 300 },
  { day: 500 },
  { week: 600 },
  { month: 700 },
]

/**
 * Makes accounts 1 to 6, each with four keys, in the database and in the model. The second key may spend little in all, the third
 * little a day and a month, the fourth little in five hours and a week. Each account has one or more budgets of its own, and a person with two keys.
 */
async function settle(tables: Simulated, model: Model): Promise<void> {
  await tables.run(THINGS)
  for (const { id, account_id, state } of thingsOf(ACCOUNTS)) {
    await tables.run(`INSERT INTO things VALUES (${id}, ${account_id}, '${state}', 0)`)
    model.things.set(id, { account_id, state })
  }
  for (let account_id = 1; account_id <= ACCOUNTS; account_id++) {
    await tables.addAccount(account_id)
    const limits = ACCOUNT_LIMITS[account_id % ACCOUNT_LIMITS.length] ?? {}
    model.addAccount(account_id, limits)
    model.addKey(account_id, account_id, {})
    const second = ACCOUNTS + account_id
    await tables.addKey(second, account_id, { spend_limit_nanos: 3_000 * account_id })
    model.addKey(second, account_id, { total: 3_000 * account_id })
    const third = 2 * ACCOUNTS + account_id
    const [day, month] = [150 + 25 * account_id, 600 + 100 * account_id]
    await tables.addKey(third, account_id, { budgets: { day, month } })
    model.addKey(third, account_id, { day, month })
    const fourth = 3 * ACCOUNTS + account_id
    const of_fourth = { '5h': 150 + 20 * account_id, week: 400 + 50 * account_id }
    await tables.addKey(fourth, account_id, { budgets: of_fourth })
    model.addKey(fourth, account_id, of_fourth)
    await tables.run(budgetsText(account_id, null, limits))
    // The first and the third key are of one person.
    const of_person = { '5h': 220 + 20 * account_id, day: 420, week: 900, month: 2_200 }
    for (const text of personText(account_id, account_id, [account_id, third], of_person))
      await tables.run(text)
    model.addPerson(account_id, [account_id, third], of_person)
    if (account_id % 2 === 0) await beginPlan(tables, model, account_id)
  }
}

/** Begins a plan of an account: number 4 has no overflow to its balance; 4 and 6 may have two calls at once. */
async function beginPlan(tables: Simulated, model: Model, account_id: number): Promise<void> {
  const earlier_plans = tables.plans_started.get(account_id) ?? 0
  const limits = PLAN_LIMITS[earlier_plans % PLAN_LIMITS.length] ?? {}
  const overflow = account_id !== 4
  const concurrent_calls = { 4: 2, 6: 2 }[account_id]
  model.beginPlan(account_id, limits, overflow, concurrent_calls)
  await tables.run(`UPDATE accounts SET plan_period_id = NULL WHERE id = ${account_id}`)
  await tables.run(`DELETE FROM budgets WHERE account_id = ${account_id} AND plan_period_id IS NOT NULL`)
  const plan = { id: account_id, account_id, limits, overflow, concurrent_calls, models: ['sim-text'] }
  const [inserted = '', ...others] = planTexts({ ...plan, ends_ms: Number.MAX_SAFE_INTEGER })
  const texts = earlier_plans > 0 ? others : [inserted, ...others]
  tables.plans_started.set(account_id, earlier_plans + 1)
  for (const text of texts) await tables.run(text)
}

/** Pays the next month of a plan, ends it, or begins another. */
async function changePlan(random: Random, tables: Simulated, model: Model): Promise<void> {
  const account_id = 2 * (1 + random.below(ACCOUNTS / 2))
  const plan = model.plans.get(account_id)
  if (!plan || random.chance(0.3)) {
    await beginPlan(tables, model, account_id)
    return
  }
  const of_plan = `account_id = ${account_id} AND plan_period_id IS NOT NULL`
  if (random.chance(0.2)) {
    model.plans.delete(account_id)
    await tables.run(`UPDATE accounts SET plan_period_id = NULL WHERE id = ${account_id}`)
    await tables.run(`DELETE FROM budgets WHERE ${of_plan}`)
    return
  }
  plan.month_after = model.holds_made
  await tables.run(
    `UPDATE budgets SET started_ms = NULL, first_hold_id = 0, used_nanos = 0 WHERE period = 'month' AND ${of_plan}`,
  )
}

/** Makes changes of an operator while the ledger runs. */
async function administer(random: Random, tables: Simulated, model: Model): Promise<void> {
  const id = 1 + random.below(ACCOUNTS)
  const account = model.accounts.get(id)
  const key = model.keys.get(ACCOUNTS + id)
  if (!account || !key) throw new Error('the model lost a row')
  account.suspended = random.chance(0.2)
  key.revoked = random.chance(0.2)
  const status = account.suspended ? 'suspended' : 'active'
  await tables.run(`UPDATE accounts SET status = '${status}' WHERE id = ${id}`)
  await tables.run(`UPDATE keys SET revoked_at_ms = ${key.revoked ? 0 : 'NULL'} WHERE id = ${ACCOUNTS + id}`)
}

/** Sweeps as another process that considers calls under way dead. */
async function sweep(random: Random, tables: Simulated, model: Model): Promise<void> {
  const operations = [...model.pending.keys()].filter(() => random.chance(0.1)).map(expire)
  const expected = operations.map((operation) => model.apply(operation))
  expect(await tables.commit(SWEEPER, operations, expected)).toEqual(expected)
}

async function expectSame(tables: Simulated, model: Model): Promise<void> {
  const rows = await tables.accounts()
  const modelled = [...model.accounts].map(([id, { balance, debt }]) => ({
    id,
    balance_nanos: balance,
    held_nanos: model.heldBy((held) => held.account_id === id),
    debt_nanos: debt,
  }))
  if (!Bun.deepEquals(rows, modelled)) expect(rows).toEqual(modelled)
  const things = await tables.things()
  const modelled_things = [...model.things].map(([id, thing]) => ({ id, ...thing }))
  if (!Bun.deepEquals(things, modelled_things)) expect(things).toEqual(modelled_things)
}

test(
  `${OPERATIONS} random operations agree with the model, TOLLGATE_SEED=${SEED}`,
  () => simulate(sqliteSimulated, OPERATIONS),
  timeoutMs(600_000),
)

test.if(hasPostgres)(
  `${OPERATIONS_THERE} random operations agree with the model on PostgreSQL, TOLLGATE_SEED=${SEED}`,
  () => simulate(postgresSimulated, OPERATIONS_THERE),
  timeoutMs(600_000),
)

async function simulate(open: () => Promise<Simulated>, count: number): Promise<void> {
  await using tables = await open()
  const random = randomFrom(SEED)
  const model = new Model()
  await settle(tables, model)
  let writer = random.below(SWEEPER)
  const seen = new Map<string, number>()
  let done = 0
  let audited = 0
  let now_ms = NOW
  while (done < count) {
    const size = 1 + random.below(MAX_BATCH_OPERATIONS)
    const operations: Operation[] = []
    const expected = Array.from({ length: size }, () => {
      if (random.chance(0.01)) now_ms += random.below(MAX_PAUSE_MS)
      const operation = nextOperation(random, model, now_ms)
      operations.push(operation)
      const outcome = model.apply(operation)
      model.assertSound()
      const answer = `${operation.op} ${answerOf(outcome)}`
      seen.set(answer, (seen.get(answer) ?? 0) + 1)
      return outcome
    })
    // Mostly several batches in a row, so that the rows of the last one are known.
    if (random.chance(0.2)) writer = random.below(SWEEPER)
    const outcomes = await tables.commit(writer, operations, expected)
    if (!Bun.deepEquals(compared(outcomes as object[]), expected))
      expect({ operations, outcomes: compared(outcomes as object[]) }).toEqual({
        operations,
        outcomes: expected,
      })
    await expectSame(tables, model)
    if (random.chance(0.05)) await administer(random, tables, model)
    if (random.chance(0.1)) await changePlan(random, tables, model)
    if (random.chance(0.05)) await sweep(random, tables, model)
    done += size
    if (done >= (audited * count) / AUDITS) {
      expect(await tables.brokenInvariants()).toEqual([])
      audited += 1
    }
  }
  expect(await tables.brokenInvariants()).toEqual([])
  // The run is only worth something if it met every outcome that these operations can have.
  if (count >= 40_000) expect([...seen.keys()].sort()).toEqual(OUTCOMES_MET)
}

/** Leaves out the parts that the model lacks: reset times of budgets, and the first use of a reference. */
const compared = (outcomes: readonly object[]): object[] =>
  withoutResets(outcomes).map((outcome) => {
    const { first: _, ...others } = outcome as { first?: unknown }
    return others
  })

function answerOf(outcome: Outcome): string {
  if (!outcome.ok) return outcome.refusal
  return 'late' in outcome && outcome.late ? 'late' : 'ok'
}

const OUTCOMES_MET = [
  'expire already_resolved',
  'expire no_such_hold',
  'expire ok',
  'hold account_5h_limit',
  'hold account_daily_limit',
  'hold account_monthly_limit',
  'hold account_suspended',
  'hold account_weekly_limit',
  'hold amount_out_of_range',
  'hold insufficient_balance',
  'hold key_5h_limit',
  'hold key_daily_limit',
  'hold key_monthly_limit',
  'hold key_revoked',
  'hold key_spend_limit',
  'hold key_weekly_limit',
  'hold no_such_key',
  'hold ok',
  'hold outstanding_debt',
  'hold person_5h_limit',
  'hold person_daily_limit',
  'hold person_monthly_limit',
  'hold person_weekly_limit',
  'hold plan_5h_limit',
  'hold plan_concurrency',
  'hold plan_daily_limit',
  'hold plan_model',
  'hold plan_monthly_limit',
  'hold plan_weekly_limit',
  'open_debt amount_out_of_range',
  'open_debt no_such_account',
  'open_debt ok',
  'open_debt request_key_used',
  'post already_resolved',
  'post late',
  'post no_such_hold',
  'post ok',
  'refund amount_out_of_range',
  'refund more_than_charged',
  'refund no_such_account',
  'refund no_such_call',
  'refund nothing_to_refund',
  'refund ok',
  'refund request_key_used',
  'top_up amount_out_of_range',
  'top_up ok',
  'top_up wrong_state',
  'void already_resolved',
  'void late',
  'void no_such_hold',
  'void ok',
  'withdraw amount_out_of_range',
  'withdraw insufficient_balance',
  'withdraw no_such_account',
  'withdraw ok',
  'withdraw wrong_state',
]
