// Prepared queries: each made once for each connection, at its first use.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { openDatabase } from '../../src/db/open.ts'
import { perConnection } from '../../src/db/prepared.ts'
import { accounts } from '../../src/db/schema.ts'

/** Queries on accounts, and how often they were prepared. */
function counted() {
  const times = { add: 0, names: 0 }
  const queries = perConnection({
    add(orm) {
      times.add += 1
      return orm
        .insert(accounts)
        .values({
          name: sql.placeholder('name'),
          status: 'active',
          balance_nanos: 0,
          held_nanos: 0,
          debt_nanos: 0,
          created_at_ms: 0,
        })
        .prepare()
    },
    names(orm) {
      times.names += 1
      return orm.select({ name: accounts.name }).from(accounts).prepare()
    },
  })
  return { queries, times }
}

test('nothing is prepared before the first use', () => {
  const { queries, times } = counted()
  queries(openDatabase(':memory:'))
  expect(times).toEqual({ add: 0, names: 0 })
})

test('a query is prepared without those beside it', () => {
  const { queries, times } = counted()
  queries(openDatabase(':memory:')).names.all()
  expect(times).toEqual({ add: 0, names: 1 })
})

test('a connection gets the same queries each time, and they see its rows', () => {
  const { queries, times } = counted()
  const db = openDatabase(':memory:')
  queries(db).add.run({ name: 'anna' })
  expect(queries(db).names.all()).toEqual([{ name: 'anna' }])
  queries(db).add.run({ name: 'bert' })
  expect(queries(db).names.all()).toEqual([{ name: 'anna' }, { name: 'bert' }])
  expect(times).toEqual({ add: 1, names: 1 })
})

test('another connection gets queries of its own', () => {
  const { queries, times } = counted()
  const [one, other] = [openDatabase(':memory:'), openDatabase(':memory:')]
  queries(one).add.run({ name: 'anna' })
  queries(other).add.run({ name: 'bert' })
  expect(queries(other).names.all()).toEqual([{ name: 'bert' }])
  expect(times).toEqual({ add: 2, names: 1 })
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
  expect(() => queries(db).names).toThrow(/no such table/)
  db.run(
    'CREATE TABLE accounts (id INTEGER PRIMARY KEY, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)',
  )
  expect(queries(db).names.all()).toEqual([])
  expect(times).toEqual({ add: 0, names: 2 })
})
