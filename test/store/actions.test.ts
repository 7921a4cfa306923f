// The audit log: the actor and the bounds of a line, the changes that the table refuses, and retention.
import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { type Action, type ActionContext, boundedJson, MAX_FIELDS_CHARS } from '../../src/domain/actions.ts'
import { DAY_MS } from '../../src/domain/ranges.ts'
import {
  ACTIONS_KEPT_MS,
  MAX_CHANGES_A_DAY,
  MAX_SIGN_INS_KEPT,
  recordAction,
  sweepActions,
} from '../../src/store/actions.ts'
import type { Db } from '../../src/store/db.ts'
import { dbOver, openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { temporary } from '../support/temporary.ts'

const NOW_MS = Date.UTC(2026, 10, 24)
const OPERATOR: ActionContext = { actor: { kind: 'operator', session_id: 4, address: '::1' }, now_ms: NOW_MS }
const HOLDER: ActionContext = {
  actor: { kind: 'account', session_id: 5, address: '203.0.113.7' },
  now_ms: NOW_MS,
}

function opened(): { connection: Database; db: Db } {
  const connection = memoryDatabase()
  connection.run(
    "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'a', 'active', 0, 0, 0, 0), (2, 'b', 'active', 0, 0, 0, 0)",
  )
  return { connection, db: dbOver(connection) }
}
/** Writes a line by itself. */
const record = (db: Db, action: Action, by?: ActionContext) =>
  db.begin((tx) => recordAction(tx, action), { by })
const count = (db: Database, where = 'true') =>
  db.query<{ lines: number }, []>(`SELECT count(*) AS lines FROM actions WHERE ${where}`).get()?.lines

describe('the actor', () => {
  const actorOf = (db: Database) =>
    db.query<{ actor: string }, []>('SELECT actor FROM actions ORDER BY id DESC LIMIT 1').get()?.actor
  const SUSPENDED: Action = { action: 'account.suspended', account_id: 1 }

  test('is the one named for the work, also in a nested transaction, and otherwise the gateway', async () => {
    const { connection, db } = opened()
    const seen: unknown[] = []
    await db.begin(
      async (tx) => {
        await tx.begin((inner) => recordAction(inner, SUSPENDED), { by: HOLDER })
        seen.push(actorOf(connection))
        await recordAction(tx, SUSPENDED)
        seen.push(actorOf(connection))
      },
      { by: OPERATOR },
    )
    await record(db, SUSPENDED)
    expect([...seen, actorOf(connection)]).toEqual(['account', 'operator', 'system'])
  })

  test('is by default the one for whom the database was opened', async () => {
    using folder = temporary()
    const path = folder.at('a.db')
    await using db = openDb(path, {
      by: { actor: { kind: 'command', command: 'key create' }, now_ms: NOW_MS },
    })
    await record(db, { action: 'account.created' })
    await record(db, { action: 'account.created' }, OPERATOR)
    expect(await db.rows('SELECT actor FROM actions ORDER BY id')).toEqual([
      { actor: 'command' },
      { actor: 'operator' },
    ])
  })

  test('of a rolled back transaction is not recorded', async () => {
    const { connection, db } = opened()
    const refused = db.begin(
      async (tx) => {
        await recordAction(tx, { action: 'account.closed', account_id: 1 })
        throw new Error('refused')
      },
      { by: OPERATOR },
    )
    await expect(refused).rejects.toThrow('refused')
    expect(count(connection)).toBe(0)
  })
})

test.each<[string, Record<string, unknown>, unknown]>([
  ['a long text', { note: 'x'.repeat(900) }, { note: `${'x'.repeat(500)}…` }],
  [
    'a long list',
    { models: Array.from({ length: 30 }, (_, index) => index) },
    { models: [...Array.from({ length: 20 }, (_, index) => index), '… 10 more'] },
  ],
  ['nothing', {}, {}],
])('%s is kept within its bound', (_, fields, kept) => {
  expect(JSON.parse(boundedJson(fields))).toEqual(kept)
})

test('many fields are kept up to the bound, and the others are counted', () => {
  const fields = Object.fromEntries(
    Array.from({ length: 900 }, (_, index) => [`field_${index}`, '"'.repeat(400)]),
  )
  const json = boundedJson(fields)
  const kept = JSON.parse(json)
  expect(json.length).toBeLessThanOrEqual(MAX_FIELDS_CHARS)
  expect(kept['…']).toBe(`${900 - Object.keys(kept).length + 1} more`)
})

describe('the table', () => {
  const LINE = 'created_at_ms, action, actor, account_id, key_id, command'
  test.each([
    ['an action without a name', `INSERT INTO actions (${LINE}) VALUES (0, '', 'system', NULL, NULL, NULL)`],
    ['an unknown actor', `INSERT INTO actions (${LINE}) VALUES (0, 'x', 'nobody', NULL, NULL, NULL)`],
    [
      'an account as actor without its id',
      `INSERT INTO actions (${LINE}) VALUES (0, 'x', 'account', NULL, NULL, NULL)`,
    ],
    ['a key as actor without its id', `INSERT INTO actions (${LINE}) VALUES (0, 'x', 'key', 1, NULL, NULL)`],
    [
      'a command as actor without its name',
      `INSERT INTO actions (${LINE}) VALUES (0, 'x', 'command', 1, NULL, NULL)`,
    ],
    [
      'a command of another actor',
      `INSERT INTO actions (${LINE}) VALUES (0, 'x', 'system', 1, NULL, 'key create')`,
    ],
    ['an unknown account', `INSERT INTO actions (${LINE}) VALUES (0, 'x', 'system', 9, NULL, NULL)`],
    [
      'fields that are not JSON',
      "INSERT INTO actions (created_at_ms, action, actor, after) VALUES (0, 'x', 'system', '{')",
    ],
  ])('refuses %s', (_, sql) => {
    expect(() => opened().connection.run(sql)).toThrow('constraint failed')
  })

  const columns = opened()
    .connection.query<{ name: string }, []>("SELECT name FROM pragma_table_info('actions')")
    .all()
    .map(({ name }) => name)
  test.each([
    ...columns.map((name) => [`another ${name}`, `UPDATE actions SET ${name} = '7'`]),
    ['removed fields', 'UPDATE actions SET before = NULL, after = NULL'],
    ['a deleted line', 'DELETE FROM actions WHERE id = 1'],
    ['all lines deleted', 'DELETE FROM actions'],
    [
      'a replaced line',
      "INSERT OR REPLACE INTO actions (id, created_at_ms, action, actor) VALUES (1, 0, 'x', 'system')",
    ],
  ])('is append-only: %s', async (_, sql) => {
    const { connection, db } = opened()
    const fields = { before: { name: 'a' }, after: { name: 'b' } }
    await record(db, { action: 'account.renamed', account_id: 1, ...fields }, HOLDER)
    expect(() => connection.run(sql)).toThrow('append-only')
  })

  test('of an erased account loses its texts and the addresses of its person, and nothing else', async () => {
    const { connection, db } = opened()
    await record(db, { action: 'key.created', account_id: 1, after: { name: 'Jane' } }, HOLDER)
    connection.run('INSERT INTO erased_accounts VALUES (1, 0)')
    connection.run('UPDATE actions SET before = NULL, after = NULL, address = NULL')
    expect(connection.query('SELECT after, address, action FROM actions').get()).toEqual({
      after: null,
      address: null,
      action: 'key.created',
    })
    for (const sql of [
      "action = 'x'",
      "after = '{}'",
      "address = '::1'",
      'session_id = NULL',
      'account_id = 2',
    ])
      expect(() => connection.run(`UPDATE actions SET ${sql}`)).toThrow('append-only')
  })
})

describe('retention', () => {
  const change = (db: Db, { now_ms }: { now_ms: number }) =>
    record(db, { action: 'key.created', account_id: 1 }, { ...HOLDER, now_ms })

  test('a line is deleted once another is 400 days younger, and not before', async () => {
    const { connection, db } = opened()
    const at = (now_ms: number) => record(db, { action: 'account.created' }, { ...OPERATOR, now_ms })
    await at(NOW_MS)
    await at(NOW_MS + ACTIONS_KEPT_MS - 1)
    expect([await sweepActions(db), count(connection)]).toEqual([0, 2])
    await at(NOW_MS + ACTIONS_KEPT_MS)
    expect([await sweepActions(db), await sweepActions(db), count(connection)]).toEqual([1, 0, 2])
  })

  test('an account holder displaces only their own sign-ins, the oldest first', async () => {
    const { connection, db } = opened()
    await record(db, { action: 'account.suspended', account_id: 1 }, OPERATOR)
    await record(db, { action: 'session.started', account_id: 2 }, HOLDER)
    await change(db, { now_ms: NOW_MS })
    await db.begin(
      async (tx) => {
        for (let index = 0; index < MAX_SIGN_INS_KEPT + 5; index += 1)
          await recordAction(tx, { action: 'session.started', account_id: 1, after: { index } })
      },
      { by: HOLDER },
    )
    expect(count(connection)).toBe(MAX_SIGN_INS_KEPT + 3)
    expect(count(connection, "json_extract(after, '$.index') < 5")).toBe(0)
    expect(() => connection.run('DELETE FROM actions WHERE id = 1')).toThrow('append-only')
  })

  test('an account holder may make 200 changes in 24 hours; signing in, revoking keys and changes by others go on', async () => {
    const { connection, db } = opened()
    for (let index = 0; index < MAX_CHANGES_A_DAY; index += 1) await change(db, { now_ms: NOW_MS + index })
    const now_ms = NOW_MS + DAY_MS - 1_500
    await expect(change(db, { now_ms })).rejects.toThrow(
      expect.objectContaining({
        kind: 'rate_limited',
        retry_after_s: 2,
        message: expect.stringContaining('Try again in 1 h, or ask the operator'),
      }),
    )
    const lines = count(connection)
    await record(db, { action: 'session.started', account_id: 1 }, { ...HOLDER, now_ms })
    await record(db, { action: 'password.changed', account_id: 1 }, { ...HOLDER, now_ms })
    await record(db, { action: 'key.revoked', account_id: 1 }, { ...HOLDER, now_ms })
    await record(db, { action: 'key.changed', account_id: 1 }, { ...OPERATOR, now_ms })
    await record(db, { action: 'key.created', account_id: 2 }, { ...HOLDER, now_ms })
    await change(db, { now_ms: NOW_MS + DAY_MS })
    expect(count(connection)).toBe((lines ?? 0) + 6)
  })
})
