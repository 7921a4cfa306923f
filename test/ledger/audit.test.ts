// The audit: each invariant is broken by hand, with the checks of the tables switched off, and must be found.
import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { dbOver } from '../../src/db/sqlite.ts'
import { audit } from '../../src/ledger/audit.ts'
import { INVARIANTS } from '../../src/ledger/invariants.ts'
import { createWriter } from '../../src/ledger/writer.ts'
import { expire, hold, post, topUp, voided, withdraw, world } from './world.ts'

const PRICE = '{"unit":"token","nanos_per_million_tokens":{"output_tokens":14}}'

/** Holds 1 and 2 are posted, 3 is voided, with an image that failed, 4 expired, 5 pending; account 1 owes nothing. */
function used(): Database {
  const db = world({ balance: 1_000, key: { daily_limit_nanos: 5_000, monthly_limit_nanos: 5_000 } })
  createWriter(db).commit([
    ...[100, 100, 100, 100, 100].map((amount) => hold(amount)),
    post(1, 70, { price: PRICE }),
    post(2, 120),
    voided(3),
    expire(4),
    withdraw(10),
    topUp(30),
  ])
  db.run(`INSERT INTO generations (uuid, account_id, call_id, position, kind, state, model, prompt, parents, created_at_ms)
          VALUES (format('%036d', 1), 1, 3, 0, 'edit', 'failed', '', '', '[]', 0)`)
  return db
}

/** Changes rows without the checks, references and triggers that would refuse it. */
function tamper(db: Database, sql: string): void {
  db.run('PRAGMA ignore_check_constraints = ON')
  db.run('PRAGMA foreign_keys = OFF')
  db.run('DROP TRIGGER entries_are_never_changed')
  db.run('DROP TRIGGER entries_are_never_deleted')
  db.run('DROP TRIGGER prices_are_never_changed')
  db.run('DROP TRIGGER prices_are_never_deleted')
  db.run(sql)
}

const SUMS = ['daily_sums_are_of_calls', 'quarter_sums_are_of_calls']

const TAMPERINGS: [sql: string, broken: string[], subject: string][] = [
  ['UPDATE accounts SET balance_nanos = 831 WHERE id = 1', ['balance_is_sum_of_entries'], 'account 1'],
  ["DELETE FROM entries WHERE kind = 'withdrawal'", ['balance_is_sum_of_entries'], 'account 1'],
  ['UPDATE accounts SET held_nanos = 99 WHERE id = 1', ['account_held_is_sum_of_pending_holds'], 'account 1'],
  ['UPDATE keys SET held_nanos = 0 WHERE id = 1', ['key_held_is_sum_of_pending_holds'], 'key 1'],
  ['UPDATE keys SET spent_nanos = 189 WHERE id = 1', ['key_spent_is_sum_of_costs'], 'key 1'],
  ['UPDATE keys SET spent_nanos = 1 WHERE id = 2', ['key_spent_is_sum_of_costs'], 'key 2'],
  ['UPDATE keys SET day_nanos = day_nanos - 1 WHERE id = 1', ['key_day_has_its_calls'], 'key 1'],
  ['UPDATE keys SET month_nanos = month_nanos - 1 WHERE id = 1', ['key_month_has_its_calls'], 'key 1'],
  ['UPDATE accounts SET debt_nanos = 5 WHERE id = 2', ['debt_is_unpaid_less_payments'], 'account 2'],
  [
    'UPDATE accounts SET debt_nanos = 5 WHERE id = 1',
    ['debt_is_unpaid_less_payments', 'no_debt_beside_free_balance'],
    'account 1',
  ],
  [
    'UPDATE accounts SET held_nanos = balance_nanos + 1 WHERE id = 1',
    ['account_held_is_sum_of_pending_holds', 'nothing_negative'],
    'account 1',
  ],
  [
    'UPDATE accounts SET balance_nanos = -1 WHERE id = 2',
    ['balance_is_sum_of_entries', 'nothing_negative'],
    'account 2',
  ],
  [
    'UPDATE keys SET spent_nanos = -1 WHERE id = 2',
    ['key_spent_is_sum_of_costs', 'nothing_negative'],
    'key 2',
  ],
  ['UPDATE holds SET account_id = 2 WHERE id = 4', ['key_belongs_to_account'], 'hold 4'],
  [
    'UPDATE calls SET account_id = 2 WHERE id = 3',
    ['call_key_belongs_to_account', 'image_has_its_call', ...SUMS],
    'call 3',
  ],
  ['DELETE FROM calls WHERE id = 3', ['image_has_its_call', ...SUMS], 'image 1'],
  ['UPDATE generations SET account_id = 2', ['image_has_its_call'], 'image 1'],
  ['UPDATE holds SET id = 3 WHERE id = 4', ['hold_has_no_call'], 'hold 3'],
  [
    'UPDATE calls SET cost_nanos = 71 WHERE id = 1',
    [
      'key_spent_is_sum_of_costs',
      'key_day_has_its_calls',
      'key_month_has_its_calls',
      'call_is_charged_what_was_paid',
      ...SUMS,
    ],
    'key 1',
  ],
  [
    'UPDATE calls SET unpaid_nanos = 1 WHERE id = 1',
    ['debt_is_unpaid_less_payments', 'call_is_charged_what_was_paid', ...SUMS],
    'account 1',
  ],
  [
    "DELETE FROM entries WHERE kind = 'charge' AND call_id = 1",
    ['balance_is_sum_of_entries', 'call_is_charged_what_was_paid'],
    'account 1',
  ],
  [
    `INSERT INTO entries SELECT 99, account_id, kind, -30, call_id, note, created_at_ms, NULL FROM entries WHERE call_id = 1;
     UPDATE entries SET amount_nanos = -40 WHERE call_id = 1 AND id <> 99`,
    ['call_is_charged_what_was_paid'],
    'call 1',
  ],
  [
    'UPDATE entries SET call_id = 99 WHERE call_id = 1',
    ['call_is_charged_what_was_paid', 'charge_has_call_of_account'],
    'call 1',
  ],
  [
    'UPDATE call_sums SET output_tokens = 16 WHERE span_s = 86400',
    ['daily_sums_are_of_calls'],
    'account 1, key 1, sim-text, completed, from 1970-01-01 00:00:00',
  ],
  [
    "UPDATE call_sums SET model = 'sim-other' WHERE span_s = 900",
    ['quarter_sums_are_of_calls'],
    'account 1, key 1, sim-text, completed, from 1970-01-01 00:15:00',
  ],
  ['DELETE FROM prices', ['call_has_its_price'], 'call 1'],
  ['UPDATE calls SET price_id = 2 WHERE id = 1', ['call_has_its_price'], 'call 1'],
  [`UPDATE prices SET json = replace(json, '14', '15')`, ['price_has_its_hash'], 'price 1'],
  ['UPDATE prices SET sha256 = zeroblob(32)', ['price_has_its_hash'], 'price 1'],
  ['DELETE FROM call_sums', SUMS, 'account 1, key 1, sim-text, completed, from 1970-01-01 00:00:00'],
  [
    'UPDATE call_sums SET first_call_id = 2 WHERE span_s = 86400',
    ['daily_sums_are_of_calls'],
    'account 1, key 1, sim-text, completed, from 1970-01-01 00:00:00',
  ],
]

describe('the audit', () => {
  test('finds nothing in a ledger that was used, and adds up its totals', async () => {
    const { rules: _, ...found } = await audit(dbOver(used()))
    expect(found).toEqual({
      clean: true,
      findings: [],
      totals: {
        accounts: 2,
        keys: 3,
        calls: 3,
        pending_holds: 1,
        balance_nanos: 830,
        held_nanos: 100,
        debt_nanos: 0,
        charged_nanos: 190,
        topped_up_nanos: 1_030,
        withdrawn_nanos: 10,
      },
    })
  })

  test('tells every rule that it checked, over how many rows, and what breaks it', async () => {
    const db = used()
    const { rules } = await audit(dbOver(db))
    const checked = rules.map(({ invariant, over, checked }) => [invariant, `${checked} ${over}`])
    expect(Object.fromEntries(checked)).toMatchObject({
      balance_is_sum_of_entries: '2 accounts',
      key_spent_is_sum_of_costs: '3 keys',
      call_key_belongs_to_account: '3 calls',
      key_belongs_to_account: '2 holds',
      image_has_its_call: '1 images',
      daily_sums_are_of_calls: expect.stringContaining('daily sums'),
    })
    db.run('UPDATE accounts SET balance_nanos = balance_nanos + 1 WHERE id = 1')
    const broken = (await audit(dbOver(db))).rules.filter(({ breaches }) => breaches > 0)
    expect(broken).toMatchObject([{ invariant: 'balance_is_sum_of_entries', breaches: 1 }])
  })

  test('finds nothing in an empty ledger', async () => {
    expect((await audit(dbOver(world()))).clean).toBe(true)
  })

  test.each(TAMPERINGS)('%s breaks %p', async (sql, broken, subject) => {
    const db = used()
    tamper(db, sql)
    const { clean, findings } = await audit(dbOver(db))
    expect(clean).toBe(false)
    expect([...new Set(findings.map(({ invariant }) => invariant))]).toEqual(broken)
    expect(findings[0]?.subject).toBe(subject)
  })

  test('has a tampering for every invariant', () => {
    const broken = new Set(TAMPERINGS.flatMap(([, names]) => names))
    expect([...broken].sort()).toEqual(INVARIANTS.map(({ name }) => name).sort())
  })

  test('reports what is negative beside 0', async () => {
    const db = used()
    tamper(db, 'UPDATE keys SET spent_nanos = -1 WHERE id = 2')
    const { findings } = await audit(dbOver(db))
    const found = findings.filter(({ invariant }) => invariant === 'nothing_negative')
    expect(found).toMatchObject([{ subject: 'key 2', expected: 0, found: -1 }])
  })

  test('reports what is free beside a debt, beside 0', async () => {
    const db = used()
    tamper(db, 'UPDATE accounts SET debt_nanos = 5 WHERE id = 1')
    const { findings } = await audit(dbOver(db))
    const found = findings.filter(({ invariant }) => invariant === 'no_debt_beside_free_balance')
    expect(found).toMatchObject([{ subject: 'account 1', expected: 0, found: 5 }])
  })

  test('reports the value expected and the value found', async () => {
    const db = used()
    tamper(db, 'UPDATE accounts SET balance_nanos = 831 WHERE id = 1')
    expect((await audit(dbOver(db))).findings).toEqual([
      {
        invariant: 'balance_is_sum_of_entries',
        meaning: "An account's balance is the sum of its entries.",
        subject: 'account 1',
        expected: 830,
        found: 831,
      },
    ])
  })
})
