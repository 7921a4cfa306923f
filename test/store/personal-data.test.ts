// The list of a person's data: it names every table and column of the schema, and what guards an erasure follows from it.
import { describe, expect, test } from 'bun:test'
import { exportedTables, OF_NOBODY, PERSONAL_DATA } from '../../src/store/stored-table.ts'
import { memoryDatabase } from '../support/empty-database.ts'

const db = memoryDatabase()
const named = <Name extends string>(sql: string): Name[] =>
  db
    .query<{ name: Name }, []>(sql)
    .all()
    .map(({ name }) => name)
const tables = named(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
const columnsOf = (table: string) => named(`SELECT name FROM pragma_table_info('${table}')`)

test('every table is on it: src/store/personal-data.ts says of each new one what a person’s data in it is', () => {
  expect([...Object.keys(PERSONAL_DATA), ...Object.keys(OF_NOBODY)].sort()).toEqual(tables.sort())
})

test.each(Object.entries(PERSONAL_DATA))('every column of %s is on it', (table, { columns, owner }) => {
  expect(Object.keys(columns).sort()).toEqual(columnsOf(table).sort())
  expect(columnsOf(table)).toContain(owner)
})

test('a table that says nothing of an account names none', () => {
  for (const table of Object.keys(OF_NOBODY))
    expect(columnsOf(table).filter((name) => /account|key_id/.test(name))).toEqual([])
})

test.each(Object.entries(PERSONAL_DATA).filter(([, { erases }]) => erases === 'rows'))(
  '%s takes no row of an erased account',
  (table) => {
    const triggers = named(`SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = '${table}'`)
    expect(triggers).toContain(`${table}_are_not_of_erased`)
  },
)

test('no secret is exported', () => {
  const exported = exportedTables().flatMap(([table, { columns }]) =>
    Object.entries(columns).flatMap(([name, rule]) => (rule.exported ? [`${table}.${name}`] : [])),
  )
  expect(exported.filter((name) => /hash|(keys|sessions|links)\.sha256/.test(name))).toEqual([])
})

describe('entries', () => {
  db.run(`
    INSERT INTO accounts VALUES (1, 'a', 'active', 100, 0, 0, 0), (2, 'b', 'active', 100, 0, 0, 0);
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
    'keep their %s, whoever they are of',
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
    ['the key of anybody else', "UPDATE entries SET request_key = 'x' WHERE id = 2"],
    ['the note of anybody else', "UPDATE entries SET note = '' WHERE id = 2"],
    ['deleting', 'DELETE FROM entries WHERE id = 1'],
    ['replacing', "INSERT OR REPLACE INTO entries VALUES (1, 1, 'top_up', 1, NULL, '', 0, NULL)"],
  ])('refuse %s', (_, sql) => {
    expect(() => db.run(sql)).toThrow('append-only')
  })
})
