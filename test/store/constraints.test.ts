// The constraints of the tables: what they refuse, whatever the code above them does.
import { describe, expect, test } from 'bun:test'
import { memoryDatabase } from '../support/empty-database.ts'
import { FILLING, REFUSED_STATEMENTS } from './refused-statements.ts'

describe.each(REFUSED_STATEMENTS)('%s refuse', (table, refused) => {
  test.each([...refused])('%s', (_, sql) => {
    const db = memoryDatabase()
    db.run(FILLING)
    const before = db.query(`SELECT * FROM ${table}`).all()
    expect(() => db.run(sql)).toThrow(/constraint failed|append-only|cannot store|has its call|has no call/)
    expect(db.query(`SELECT * FROM ${table}`).all()).toEqual(before)
  })
})
