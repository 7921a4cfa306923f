// Settled holds: only the row of the call remains of its hold, and later operations on the hold are refused.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import type { Operation } from '../../../src/money/ledger/operations.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { MIGRATIONS, migrate } from '../../../src/store/engines/sqlite/migrate.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { newestHold } from '../../../src/store/newest-hold.ts'
import { perConnection } from '../../../src/store/prepared.ts'
import { inFolder } from './disk.ts'
import { charged, held, late, refused, returned } from './steps.ts'
import { brokenInvariants, CALL, expire, hold, post, stateOf, voided, world } from './world.ts'

const holdsOf = (db: Database) => db.query('SELECT id, state FROM holds ORDER BY id').all()
const callsOf = (db: Database) => db.query('SELECT id, hold_nanos, cost_nanos FROM calls ORDER BY id').all()

test.each<[name: string, batches: Operation[][]]>([
  ['in the batch of its hold', [[hold(10), hold(20), hold(30), post(1, 4), voided(2), expire(3)]]],
  [
    'in a later batch',
    [
      [hold(10), hold(20), hold(30)],
      [post(1, 4), voided(2), expire(3)],
    ],
  ],
  [
    'in a batch with new holds',
    [
      [hold(10), hold(20)],
      [post(1, 4), hold(30), voided(2), expire(3)],
    ],
  ],
])('%s: a settled hold has no row, an expired one has', (_, batches) => {
  const db = world({ balance: 100 })
  const writer = createWriter(db)
  for (const batch of batches) writer.commit(batch)
  expect(holdsOf(db)).toEqual([{ id: 3, state: 'expired' }])
  expect(callsOf(db)).toEqual([
    { id: 1, hold_nanos: 10, cost_nanos: 4 },
    { id: 2, hold_nanos: 20, cost_nanos: 0 },
  ])
  expect(stateOf(db)).toMatchObject({ balance: 96, held: 0 })
  expect(brokenInvariants(db)).toEqual([])
})

test.each<[name: string, batches: Operation[][]]>([
  [
    'in the batch of its hold',
    [[hold(10), hold(20), hold(30), expire(1), expire(2), expire(3), post(1, 4), voided(2)]],
  ],
  [
    'in the batch of its expiry',
    [
      [hold(10), hold(20), hold(30)],
      [expire(1), post(1, 4), expire(2), voided(2), expire(3)],
    ],
  ],
  [
    'in a later batch',
    [
      [hold(10), hold(20), hold(30)],
      [expire(1), expire(2), expire(3)],
      [post(1, 4), voided(2)],
    ],
  ],
])('%s: an expired hold that is settled no longer has a row', (_, batches) => {
  for (const which of ['the same writer', 'a new one for each batch']) {
    const db = world({ balance: 100 })
    const writer = createWriter(db)
    for (const batch of batches) (which === 'the same writer' ? writer : createWriter(db)).commit(batch)
    expect(holdsOf(db)).toEqual([{ id: 3, state: 'expired' }])
    expect(callsOf(db)).toEqual([
      { id: 1, hold_nanos: 10, cost_nanos: 4 },
      { id: 2, hold_nanos: 20, cost_nanos: 0 },
    ])
    expect(stateOf(db)).toMatchObject({ balance: 96, held: 0, spent: 4 })
    expect(brokenInvariants(db)).toEqual([])
  }
})

test('a later writer knows the settled holds, and does not reuse their ids', () => {
  const db = world({ balance: 100 })
  createWriter(db).commit([hold(10), hold(20)])
  createWriter(db).commit([post(1, 4), voided(2)])
  const later = createWriter(db)
  for (const id of [1, 2])
    expect(later.commit([post(id, 1), voided(id), expire(id)])).toEqual(
      Array(3).fill(refused('already_resolved')),
    )
  expect(later.commit([hold(30)])).toEqual([held(3, 30)])
})

test('the newest hold is that of the newest call if no later one is open', async () => {
  const newest = perConnection({ newestHold })
  const db = world({ balance: 100 })
  const idAfter = async (...operations: Operation[]) => {
    createWriter(db).commit(operations)
    return (await newest(dbOver(db)).newestHold.get())?.id
  }
  expect(await idAfter()).toBe(0)
  expect(await idAfter(hold(10))).toBe(1)
  expect(await idAfter(post(1, 4))).toBe(1)
  expect(await idAfter(hold(10), hold(10), voided(2))).toBe(3)
})

/** Makes a database of the version before: a hold in each of its states, two with a call, two with an image. */
function makeOld(path: string): void {
  const db = new Database(path, { create: true, strict: true })
  db.run('PRAGMA journal_mode = WAL')
  migrate(db, MIGRATIONS.slice(0, 25))
  const { price, ...record } = CALL
  const columns = Object.keys(record)
  const values = Object.values(record).map((value) => JSON.stringify(value).replaceAll('"', "'"))
  const call = (id: number, hold_nanos: number, cost_nanos: number) =>
    `INSERT INTO calls (id, request_id, account_id, key_id, hold_nanos, cost_nanos, unpaid_nanos, price, ${columns})
     VALUES (${id}, 'request-${id}', 1, 1, ${hold_nanos}, ${cost_nanos}, 0, '', ${values})`
  const image = (call_id: number) =>
    `INSERT INTO generations (uuid, account_id, call_id, position, kind, state, model, prompt, parents, created_at_ms)
     VALUES (format('%036d', ${call_id}), 1, ${call_id}, 0, 'edit', 'failed', 'm', 'a cat', '[]', 5)`
  db.run(`
    INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'alice', 'active', 96, 40, 0, 0);
    INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms)
    VALUES (1, 1, 'key', 'tg_', zeroblob(32), 4, 40, 0);
    INSERT INTO holds VALUES (1, 1, 1, 'request-1', 10, 'posted', 0, 9), (2, 1, 1, 'request-2', 20, 'voided', 0, 9),
      (3, 1, 1, 'request-3', 30, 'expired', 0, 9), (4, 1, 1, 'request-4', 40, 'pending', 0, 9);
    ${[call(1, 10, 4), call(2, 20, 0), image(1), image(4)].join(';')};
    INSERT INTO entries VALUES (1, 1, 'top_up', 100, NULL, '', 0, NULL), (2, 1, 'charge', -4, 1, '', 0, NULL)`)
  db.close()
}

const TABLES = ['accounts', 'keys', 'entries', 'calls', 'generations', 'call_sums']
const rowsOf = (db: Database) =>
  TABLES.map((table) =>
    db.query<Record<string, unknown>, []>(`SELECT * FROM ${table} ORDER BY 1, 2, 3, 4, 5, 6`).all(),
  )

test('a database of the version before keeps its calls, sums and images, and the holds that have no call', () =>
  inFolder((path) => {
    makeOld(path)
    const old = new Database(path, { readonly: true })
    const before = rowsOf(old)
    old.close()
    const db = openDatabase(path, { before_migration: 'nothing' })
    // Later versions add columns, and budgets took the place of those that limited a key's days and months.
    const kept = before.map((rows) =>
      rows.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !/^(day|daily|month|monthly)_/.test(name))),
      ),
    )
    expect(rowsOf(db)).toMatchObject(kept)
    expect(holdsOf(db)).toEqual([
      { id: 3, state: 'expired' },
      { id: 4, state: 'pending' },
    ])
    expect(brokenInvariants(db)).toEqual([])
    expect(db.query('PRAGMA foreign_key_check').all()).toEqual([])
    expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
    expect(() => db.run('UPDATE calls SET key_id = 9')).toThrow('FOREIGN KEY')
    expect(createWriter(db).commit([voided(2), post(4, 25), hold(7), post(5, 6), voided(3)])).toEqual([
      refused('already_resolved'),
      charged(25),
      held(5, 7),
      charged(6),
      late(returned(0)),
    ])
    expect(brokenInvariants(db)).toEqual([])
    db.close()
  }))

test.each<[what: string, call_id: number, account_id: number, is_refused: boolean]>([
  ['of a hold is stored', 1, 1, false],
  ['of a call is stored', 2, 1, false],
  ['of neither is refused', 9, 1, true],
  ['of the call of another account is refused', 2, 2, true],
])('an image %s', (_, call_id, account_id, is_refused) => {
  const db = world({ balance: 100 })
  expect(createWriter(db).commit([hold(10), hold(20), voided(2)])[2]).toEqual(returned(20))
  const insert = () =>
    db.run(
      `INSERT INTO generations (uuid, account_id, call_id, position, kind, state, model, prompt, parents, created_at_ms)
       VALUES (format('%036d', 1), ${account_id}, ${call_id}, 0, 'edit', 'failed', 'm', 'a cat', '[]', 5)`,
    )
  if (is_refused) expect(insert).toThrow('the image has no call')
  else expect(insert).not.toThrow()
})
