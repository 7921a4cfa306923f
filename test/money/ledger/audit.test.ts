// The audit: each invariant is broken by hand, with the checks of the tables switched off, and must be found.
import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { audit } from '../../../src/money/ledger/audit.ts'
import { INVARIANTS } from '../../../src/money/ledger/invariants.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { TAMPERINGS, USED, USED_IMAGE, USED_KEY } from './tamperings.ts'
import { world } from './world.ts'

/** A ledger in which all kinds of operations were made. */
function used(): Database {
  const db = world({ balance: 1_000, key: USED_KEY })
  createWriter(db).commit(USED)
  db.run(USED_IMAGE)
  return db
}

/** Changes rows without the checks, references and triggers that would refuse it. */
function tamper(db: Database, sql: string): void {
  db.run('PRAGMA ignore_check_constraints = ON')
  db.run('PRAGMA foreign_keys = OFF')
  db.run('DROP TRIGGER opening_debts_are_never_changed')
  db.run('DROP TRIGGER opening_debts_are_never_deleted')
  db.run('DROP TRIGGER entries_are_never_changed')
  db.run('DROP TRIGGER entries_are_never_deleted')
  db.run('DROP TRIGGER prices_are_never_changed')
  db.run('DROP TRIGGER prices_are_never_deleted')
  db.run(sql)
}

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
        balance_nanos: 843,
        held_nanos: 100,
        debt_nanos: 0,
        charged_nanos: 197,
        topped_up_nanos: 1_030,
        refunded_nanos: 20,
        withdrawn_nanos: 10,
      },
    })
  })

  test('lists every rule that it checked, with the number of its rows and breaches', async () => {
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

  test('reports a negative amount, where 0 is expected', async () => {
    const db = used()
    tamper(db, 'UPDATE keys SET spent_nanos = -1 WHERE id = 2')
    const { findings } = await audit(dbOver(db))
    const found = findings.filter(({ invariant }) => invariant === 'nothing_negative')
    expect(found).toMatchObject([{ subject: 'key 2', expected: 0, found: -1 }])
  })

  test('reports free balance beside a debt, where 0 is expected', async () => {
    const db = used()
    tamper(db, 'UPDATE accounts SET debt_nanos = 5 WHERE id = 1')
    const { findings } = await audit(dbOver(db))
    const found = findings.filter(({ invariant }) => invariant === 'no_debt_beside_free_balance')
    expect(found).toMatchObject([{ subject: 'account 1', expected: 0, found: 5 }])
  })

  test('reports the value expected and the value found', async () => {
    const db = used()
    tamper(db, 'UPDATE accounts SET balance_nanos = 851 WHERE id = 1')
    expect((await audit(dbOver(db))).findings).toEqual([
      {
        invariant: 'balance_is_sum_of_entries',
        meaning: "An account's balance is the sum of its entries.",
        subject: 'account 1',
        expected: 843,
        found: 851,
      },
    ])
  })
})
