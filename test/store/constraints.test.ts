// The constraints of the tables: they refuse bad rows, whatever the code above them does.
import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { memoryDatabase } from '../support/empty-database.ts'
import { FILLING, REFUSED_STATEMENTS } from './refused-statements.ts'

function filled(): Database {
  const db = memoryDatabase()
  db.run(FILLING)
  return db
}

describe.each(REFUSED_STATEMENTS)('%s refuse', (table, refused) => {
  const db = filled()
  const rows = db.prepare(`SELECT * FROM ${table}`)
  const before = rows.all()

  test.each([...refused])('%s', (_, sql) => {
    expect(() => db.run(sql)).toThrow(/constraint failed|append-only|cannot store|has its call|has no call/)
    expect(rows.all()).toEqual(before)
  })
})

/** Written by every call. For a list of three values and more SQLite would make an index at each insert, which takes 3 µs. */
const OF_EVERY_CALL = ['entries', 'holds', 'call_sums', 'calls_to_sum']

test.each(OF_EVERY_CALL)('%s are checked without a temporary index', (table) => {
  const db = memoryDatabase()
  const columns = db.query(`PRAGMA table_info(${table})`).all()
  const opcodes = db
    .query<{ opcode: string }, []>(`EXPLAIN INSERT INTO ${table} VALUES (${columns.map(() => '?')})`)
    .all()
    .map(({ opcode }) => opcode)
  expect(opcodes).toContain('Halt')
  expect(opcodes).not.toContain('OpenEphemeral')
})
