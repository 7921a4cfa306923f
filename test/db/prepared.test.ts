// Prepared queries: one set for each connection, made at its first use.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { openDatabase } from '../../src/db/open.ts'
import { perConnection } from '../../src/db/prepared.ts'
import { accounts } from '../../src/db/schema.ts'

/** Queries on accounts, and how often they were prepared. */
function counted() {
  let times = 0
  const queries = perConnection((orm) => {
    times += 1
    const add = {
      name: sql.placeholder('name'),
      status: 'active' as const,
      balance_nanos: 0,
      held_nanos: 0,
      debt_nanos: 0,
      created_at_ms: 0,
    }
    return {
      add: orm.insert(accounts).values(add).prepare(),
      names: orm.select({ name: accounts.name }).from(accounts).prepare(),
    }
  })
  return { queries, times: () => times }
}

test('nothing is prepared before the first use', () => {
  expect(counted().times()).toBe(0)
})

test('a connection gets the same queries each time, and they see its rows', () => {
  const { queries, times } = counted()
  const db = openDatabase(':memory:')
  queries(db).add.run({ name: 'anna' })
  expect(queries(db).names.all()).toEqual([{ name: 'anna' }])
  queries(db).add.run({ name: 'bert' })
  expect(queries(db).names.all()).toEqual([{ name: 'anna' }, { name: 'bert' }])
  expect(times()).toBe(1)
})

test('another connection gets queries of its own', () => {
  const { queries, times } = counted()
  const [one, other] = [openDatabase(':memory:'), openDatabase(':memory:')]
  queries(one).add.run({ name: 'anna' })
  expect(queries(other).names.all()).toEqual([])
  expect(times()).toBe(2)
})

test('queries take part in the transaction of their connection', () => {
  const { queries } = counted()
  const db = openDatabase(':memory:')
  const failing = db.transaction(() => {
    queries(db).add.run({ name: 'anna' })
    throw new Error('rolled back')
  })
  expect(() => failing()).toThrow('rolled back')
  expect(queries(db).names.all()).toEqual([])
})

test('queries that could not be prepared are tried again at the next use', () => {
  const { queries, times } = counted()
  const db = new Database(':memory:')
  expect(() => queries(db)).toThrow(/no such table/)
  db.run(
    'CREATE TABLE accounts (id INTEGER PRIMARY KEY, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)',
  )
  expect(queries(db).names.all()).toEqual([])
  expect(times()).toBe(2)
})
