// Prepared queries: each made once for each connection, at its first use.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { sql } from 'drizzle-orm'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts } from '../../src/store/schema.ts'

const opened = () => dbOver(openDatabase(':memory:'))

/** Queries on accounts, and how often they were prepared. */
function counted() {
  const times = { add: 0, names: 0 }
  const queries = perConnection({
    add(orm) {
      times.add += 1
      return orm.insert(accounts).values({
        name: sql.placeholder('name'),
        status: 'active',
        balance_nanos: 0,
        held_nanos: 0,
        debt_nanos: 0,
        created_at_ms: 0,
      })
    },
    names(orm) {
      times.names += 1
      return orm.select({ name: accounts.name }).from(accounts)
    },
  })
  return { queries, times }
}

test('nothing is prepared before the first use', () => {
  const { queries, times } = counted()
  queries(opened())
  expect(times).toEqual({ add: 0, names: 0 })
})

test('a query is prepared without those beside it', async () => {
  const { queries, times } = counted()
  await queries(opened()).names.all()
  expect(times).toEqual({ add: 0, names: 1 })
})

test('a connection gets the same queries each time, and they see its rows', async () => {
  const { queries, times } = counted()
  const db = opened()
  await queries(db).add.run({ name: 'anna' })
  expect(await queries(db).names.all()).toEqual([{ name: 'anna' }])
  await queries(db).add.run({ name: 'bert' })
  expect(await queries(db).names.all()).toEqual([{ name: 'anna' }, { name: 'bert' }])
  expect(times).toEqual({ add: 1, names: 1 })
})

test('another connection gets queries of its own', async () => {
  const { queries, times } = counted()
  const [one, other] = [opened(), opened()]
  await queries(one).add.run({ name: 'anna' })
  await queries(other).add.run({ name: 'bert' })
  expect(await queries(other).names.all()).toEqual([{ name: 'bert' }])
  expect(times).toEqual({ add: 2, names: 1 })
})

test('queries made by a transaction take part in it', async () => {
  const { queries } = counted()
  const db = opened()
  const failing = db.begin(async (tx) => {
    await queries(tx).add.run({ name: 'anna' })
    throw new Error('rolled back')
  })
  await expect(failing).rejects.toThrow('rolled back')
  expect(await queries(db).names.all()).toEqual([])
})

test('queries that could not be prepared are tried again at the next use', async () => {
  const { queries, times } = counted()
  const connection = new Database(':memory:')
  const db = dbOver(connection)
  expect(() => queries(db).names).toThrow(/no such table/)
  connection.run(
    'CREATE TABLE accounts (id INTEGER PRIMARY KEY, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)',
  )
  expect(await queries(db).names.all()).toEqual([])
  expect(times).toEqual({ add: 0, names: 2 })
})
