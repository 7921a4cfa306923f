// The rules of personal data: every table and column of the database has one, and the triggers that guard an erasure follow from them.
import { describe, expect, test } from 'bun:test'
import { exportedTables, ruledTables } from '../../src/store/stored-table.ts'
import { ALL_TABLES } from '../support/all-tables.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const db = memoryDatabase()
const named = <Name extends string>(sql: string): Name[] =>
  db
    .query<{ name: Name }, []>(sql)
    .all()
    .map(({ name }) => name)
const tables = named(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
const columnsOf = (table: string) => named(`SELECT name FROM pragma_table_info('${table}')`)

test('every table is in src/store/tables/, or registered by a plugin', () => {
  expect(ALL_TABLES.map(({ name }) => name).sort()).toEqual(tables.sort())
})

test.each(ruledTables(ALL_TABLES))('every column of $name has a rule', ({ name, rule }) => {
  expect(Object.keys(rule.columns).sort()).toEqual(columnsOf(name).sort())
  expect(columnsOf(name)).toContain(rule.owner)
})

test('a table without a rule has no column that names an account or a key', () => {
  for (const { name } of ALL_TABLES.filter(({ rule }) => !rule))
    expect(columnsOf(name).filter((name) => /account|key_id/.test(name))).toEqual([])
})

test.each(
  ruledTables(ALL_TABLES)
    .filter(({ rule }) => rule.erases === 'rows')
    .map(({ name }) => name),
)('%s takes no row of an erased account', (table) => {
  const triggers = named(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = '${table}'`)
  expect(triggers).toContain(`${table}_are_not_of_erased`)
})

test('the tables described in the README of an export are the exported ones', () => {
  const described = ruledTables(ALL_TABLES).filter(({ rule }) => rule.described !== undefined)
  expect(described.map(({ name }) => name)).toEqual(exportedTables(ALL_TABLES).map(({ name }) => name))
})

test('no secret is exported', () => {
  const exported = exportedTables(ALL_TABLES).flatMap(({ name: table, rule }) =>
    Object.entries(rule.columns).flatMap(([name, { exported }]) => (exported ? [`${table}.${name}`] : [])),
  )
  expect(exported.filter((name) => /hash|(keys|sessions|links)\.sha256/.test(name))).toEqual([])
})

test('opening debts of an erased account lose their note and their reference, and nothing else', () => {
  const own = memoryDatabase()
  own.run(`
    INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'a', 'active', 0, 0, 5, 0), (2, 'b', 'active', 0, 0, 5, 0);
    INSERT INTO erased_accounts VALUES (1, 0);
    INSERT INTO opening_debts VALUES (1, 1, 5, 'of John', 0, 'user john'), (2, 2, 5, 'of Jane', 0, 'user jane')`)
  const bare = "UPDATE opening_debts SET note = '', request_key = NULL"
  for (const refused of ['amount_nanos = 4', 'account_id = 2', 'created_at_ms = 1', 'id = 3'])
    expect(() => own.run(`${bare}, ${refused} WHERE id = 1`)).toThrow('append-only')
  expect(() => own.run(`${bare} WHERE id = 2`)).toThrow('append-only')
  own.run(`${bare} WHERE id = 1`)
  expect(own.query('SELECT * FROM opening_debts').values()).toEqual([
    [1, 1, 5, '', 0, null],
    [2, 2, 5, 'of Jane', 0, 'user jane'],
  ])
})

describe('entries', () => {
  db.run(`
    INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'a', 'active', 100, 0, 0, 0), (2, 'b', 'active', 100, 0, 0, 0);
    INSERT INTO erased_accounts VALUES (1, 0);
    INSERT INTO entries VALUES (1, 1, 'top_up', 110, NULL, 'John', 0, 'invoice of John'), (2, 2, 'top_up', 110, NULL, 'Jane', 0, NULL)`)

  test('of an erased account lose their note and their key', () => {
    db.run("UPDATE entries SET note = '', request_key = NULL WHERE id = 1")
    expect(db.query('SELECT note, request_key FROM entries WHERE id = 1').get()).toEqual({
      note: '',
      request_key: null,
    })
  })

  const others: Record<string, string> = {
    id: '9',
    account_id: '2',
    kind: "'withdrawal'",
    amount_nanos: '111',
    call_id: '7',
    created_at_ms: '1',
  }
  test.each(columnsOf('entries').filter((name) => name !== 'note' && name !== 'request_key'))(
    'keep their %s, also if their account is erased',
    (column) => {
      for (const id of [1, 2])
        expect(() =>
          db.run(`UPDATE entries SET note = '', ${column} = ${others[column]} WHERE id = ${id}`),
        ).toThrow()
    },
  )

  test.each([
    ['another note of an erased account', "UPDATE entries SET note = 'x' WHERE id = 1"],
    ['a key of an erased account', "UPDATE entries SET note = '', request_key = 'x' WHERE id = 1"],
    ['the key of another account', "UPDATE entries SET request_key = 'x' WHERE id = 2"],
    ['the note of another account', "UPDATE entries SET note = '' WHERE id = 2"],
    ['a deletion', 'DELETE FROM entries WHERE id = 1'],
    ['a replacement', "INSERT OR REPLACE INTO entries VALUES (1, 1, 'top_up', 1, NULL, '', 0, NULL)"],
  ])('refuse %s', (_, sql) => {
    expect(() => db.run(sql)).toThrow('append-only')
  })
})
