// The simulation: seeded random operations of two connections, whose outcomes must be those of a simple model, with every
// invariant intact. Each connection has a writer that knows the rows of its earlier batches; a third changes rows in between, and
// expires holds of calls that settle all the same.
import type { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { openDatabase } from '../../src/db/open.ts'
import type { Operation, Outcome } from '../../src/ledger/operations.ts'
import { createWriter, type Writer } from '../../src/ledger/writer.ts'
import { SEED } from '../support/seed.ts'
import { inFolder } from './disk.ts'
import { Model } from './model.ts'
import { type Random, randomFrom } from './random.ts'
import {
  addAccount,
  addKey,
  brokenInvariants,
  expire,
  hold,
  NOW,
  post,
  topUp,
  voided,
  withdraw,
} from './world.ts'

const OPERATIONS = Number(process.env.TOLLGATE_SIMULATION_OPERATIONS ?? 40_000)
const AUDITS = 20

const ACCOUNTS = 6
const KEYS_EACH = 3
const MAX_BATCH_OPERATIONS = 32
/** Between two operations, now and then: days go by, and months. */
const MAX_PAUSE_MS = 86_400_000
const BAD_AMOUNTS = [-1, 0.5, Number.NaN, Infinity, 2 ** 53] as const

/**
 * Accounts 1 to 6, each with three keys, in the database and in the model. The second may spend little in all, the third
 * little a day and a month.
 */
function settle(db: Database, model: Model): void {
  for (let account_id = 1; account_id <= ACCOUNTS; account_id++) {
    addAccount(db, account_id)
    model.addAccount(account_id)
    model.addKey(account_id, account_id, {})
    const second = ACCOUNTS + account_id
    addKey(db, second, account_id, { spend_limit_nanos: 10_000 * account_id })
    model.addKey(second, account_id, { total: 10_000 * account_id })
    const third = 2 * ACCOUNTS + account_id
    const [day, month] = [150 + 25 * account_id, 600 + 100 * account_id]
    addKey(db, third, account_id, { daily_limit_nanos: day, monthly_limit_nanos: month })
    model.addKey(third, account_id, { day, month })
  }
}

/** One operation, mostly a sensible one: most holds are resolved, and accounts run out of money and into debt repeatedly. */
function nextOperation(random: Random, model: Model, now_ms: number): Operation {
  const account_id = random.below(ACCOUNTS + 1) || 1 + random.below(ACCOUNTS)
  if (random.chance(0.01)) return badOperation(random, account_id)
  const kind = random.below(100)
  if (kind < 45) {
    const amount = random.below(200)
    return hold(amount, {
      account_id,
      key_id: random.chance(0.98) ? account_id + ACCOUNTS * random.below(KEYS_EACH) : random.below(26),
      now_ms,
      minimum_nanos: random.chance(0.5) ? amount : random.below(100),
    })
  }
  if (kind < 91) return resolution(random, model)
  if (kind < 92) return lostSettlement(random, account_id, now_ms)
  if (kind < 97) return topUp(1 + random.below(800), account_id)
  return withdraw(1 + random.below(200), random.chance(0.95) ? account_id : 99)
}

/** Of a hold that an earlier process decided, and never wrote. */
function lostSettlement(random: Random, account_id: number, now_ms: number): Operation {
  const lost = {
    account_id,
    key_id: account_id + ACCOUNTS * random.below(KEYS_EACH),
    request_id: 'lost',
    amount_nanos: random.below(200),
    created_at_ms: now_ms,
    expires_at_ms: now_ms,
  }
  return { ...(random.chance(0.2) ? voided(1) : post(1, random.below(200))), lost }
}

function resolution(random: Random, model: Model): Operation {
  const [oldest = 1] =
    random.chance(0.2) && model.expired.size > 0 ? model.expired.keys() : model.pending.keys()
  const unknown = random.chance(0.02) ? 1 + random.below(3) : 0
  const hold_id = unknown
    ? model.holds_made + unknown
    : random.chance(0.9)
      ? oldest
      : 1 + random.below(model.holds_made)
  const held = model.pending.get(hold_id)?.amount ?? 10
  if (random.chance(0.15)) return voided(hold_id)
  if (random.chance(0.03)) return expire(hold_id)
  const cost_nanos = random.chance(0.9) ? random.below(held + 1) : random.below(3 * held + 50)
  return post(hold_id, cost_nanos, random.chance(0.5) ? { provider_cost_nanos: random.below(200) } : {})
}

function badOperation(random: Random, account_id: number): Operation {
  const amount = random.pick(BAD_AMOUNTS)
  return random.pick<Operation>([
    hold(amount, { account_id, key_id: account_id }),
    hold(10, { account_id, key_id: account_id, minimum_nanos: amount }),
    topUp(amount, account_id),
    withdraw(amount, account_id),
    topUp(0, account_id),
  ])
}

/** What an operator changes while the ledger runs. */
function administer(random: Random, db: Database, model: Model): void {
  const id = 1 + random.below(ACCOUNTS)
  const account = model.accounts.get(id)
  const key = model.keys.get(ACCOUNTS + id)
  if (!account || !key) throw new Error('the model lost a row')
  account.suspended = random.chance(0.2)
  key.revoked = random.chance(0.2)
  db.query('UPDATE accounts SET status = ? WHERE id = ?').run(account.suspended ? 'suspended' : 'active', id)
  db.query('UPDATE keys SET revoked_at_ms = ? WHERE id = ?').run(key.revoked ? 0 : null, ACCOUNTS + id)
}

/** The sweep of another process, which takes calls under way for gone. */
function sweep(random: Random, writer: Writer, model: Model): void {
  const operations = [...model.pending.keys()].filter(() => random.chance(0.1)).map(expire)
  const expected = operations.map((operation) => model.apply(operation))
  expect(writer.commit(operations)).toEqual(expected)
}

function expectSame(db: Database, model: Model): void {
  const rows = db
    .query<{ id: number; balance_nanos: number; held_nanos: number; debt_nanos: number }, []>(
      'SELECT id, balance_nanos, held_nanos, debt_nanos FROM accounts ORDER BY id',
    )
    .all()
  const modelled = [...model.accounts].map(([id, { balance, debt }]) => ({
    id,
    balance_nanos: balance,
    held_nanos: model.heldBy((held) => held.account_id === id),
    debt_nanos: debt,
  }))
  if (!Bun.deepEquals(rows, modelled)) expect(rows).toEqual(modelled)
}

/** A connection that does not wait for the disk: nothing here ends the machine. */
function openFast(path: string): Database {
  const db = openDatabase(path)
  db.run('PRAGMA synchronous = OFF')
  return db
}

test(`${OPERATIONS} random operations, TOLLGATE_SEED=${SEED}`, () => inFolder(simulate), 600_000)

function simulate(path: string): void {
  const random = randomFrom(SEED)
  const db = openFast(path)
  const model = new Model()
  settle(db, model)
  const connections = [openFast(path), openFast(path), openFast(path)] as const
  const writers = [createWriter(connections[0]), createWriter(connections[1])] as const
  const sweeper = createWriter(connections[2])
  let writer = random.pick(writers)
  const seen = new Map<string, number>()
  let done = 0
  let audited = 0
  let now_ms = NOW
  while (done < OPERATIONS) {
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
    if (random.chance(0.2)) writer = random.pick(writers)
    const outcomes = writer.commit(operations)
    if (!Bun.deepEquals(outcomes, expected))
      expect({ operations, outcomes }).toEqual({ operations, outcomes: expected })
    expectSame(db, model)
    if (random.chance(0.05)) administer(random, db, model)
    if (random.chance(0.05)) sweep(random, sweeper, model)
    done += size
    if (done >= (audited * OPERATIONS) / AUDITS) {
      expect(brokenInvariants(db)).toEqual([])
      audited += 1
    }
  }
  expect(brokenInvariants(db)).toEqual([])
  // The run is only worth something if it met every outcome that these operations can have.
  if (OPERATIONS >= 40_000) expect([...seen.keys()].sort()).toEqual(OUTCOMES_MET)
  for (const connection of [db, ...connections]) connection.close()
}

function answerOf(outcome: Outcome): string {
  if (!outcome.ok) return outcome.refusal
  return 'late' in outcome && outcome.late ? 'late' : 'ok'
}

const OUTCOMES_MET = [
  'expire already_resolved',
  'expire no_such_hold',
  'expire ok',
  'hold account_suspended',
  'hold amount_out_of_range',
  'hold insufficient_balance',
  'hold key_daily_limit',
  'hold key_monthly_limit',
  'hold key_revoked',
  'hold key_spend_limit',
  'hold no_such_key',
  'hold ok',
  'hold outstanding_debt',
  'post already_resolved',
  'post late',
  'post no_such_hold',
  'post ok',
  'top_up amount_out_of_range',
  'top_up ok',
  'void already_resolved',
  'void late',
  'void no_such_hold',
  'void ok',
  'withdraw amount_out_of_range',
  'withdraw insufficient_balance',
  'withdraw no_such_account',
  'withdraw ok',
]
