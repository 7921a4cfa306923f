// The database in a file of SQLite: waits for its lock, transactions, snapshots, and refused writes.
import { expect, test } from 'bun:test'
import { createAccount, listAccounts } from '../../src/access/accounts.ts'
import type { StorageFailure } from '../../src/domain/storage-failure.ts'
import type { Db, Orm } from '../../src/store/db.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { dbOver, openDb, SqliteDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { memoryDatabase } from '../support/empty-database.ts'
import { folderOfEachTest } from '../support/test-folder.ts'

const folder = folderOfEachTest()
const add = (db: Db, name: string) => createAccount(db, { name, now_ms: 0 })
const names = async (db: Db) => (await listAccounts(db)).map(({ name }) => name)

async function opened(use: (db: SqliteDb) => Promise<void>): Promise<void> {
  const db = openDb(folder.at('a.db'))
  await use(db)
  await db.close()
}

test('a transaction takes the write lock before its first statement, and waits for it if another process has it', () =>
  opened(async (db) => {
    const other = openDatabase(folder.at('a.db'))
    other.run('PRAGMA busy_timeout = 0')
    await db.begin(() => expect(() => other.run('BEGIN IMMEDIATE')).toThrow('database is locked'))
    other.run('BEGIN IMMEDIATE')
    const waiting = db.begin((tx) => add(tx, 'late'))
    setTimeout(() => other.run('COMMIT'), 5)
    await waiting
    expect(await names(db)).toEqual(['late'])
    other.close()
  }))

test('transactions run one after the other, and nobody else reads their rows before their end', () =>
  opened(async (db) => {
    const steps: string[] = []
    const one = db.begin(async (tx) => {
      await add(tx, 'one')
      steps.push(`one: ${await names(tx)}, outside: ${await names(db)}`)
    })
    const other = db.begin(async (tx) => steps.push(`other: ${await names(tx)}`))
    await Promise.all([one, other])
    expect(steps).toEqual(['one: one, outside: ', 'other: one'])
  }))

test.each([
  ['in a file', () => openDb(folder.at('a.db'))],
  ['over one connection', () => dbOver(memoryDatabase())],
])('%s: work that throws leaves nothing, also in a nested transaction', async (_, open) => {
  const db = open()
  const failing = (within: Db) =>
    within.begin(async (tx) => {
      await add(tx, 'one')
      throw new Error('stop')
    })
  await expect(failing(db)).rejects.toThrow('stop')
  await expect(db.begin((tx) => failing(tx))).rejects.toThrow('stop')
  expect(await names(db)).toEqual([])
  await db.begin((tx) => tx.begin((inner) => add(inner, 'two')))
  expect(await names(db)).toEqual(['two'])
  await db.close()
})

test('writes that wait for another process time out together, not one after the other', async () => {
  const open = () => openDatabase(folder.at('a.db'))
  await using db = new SqliteDb(open(), undefined, { toWrite: open, wait_ms: 200 })
  const other = open()
  other.run('BEGIN IMMEDIATE')
  const tries = [0, 0, 0]
  const waiting = tries.map((_, at) =>
    db.write((within) => {
      tries[at] = (tries[at] ?? 0) + 1
      return within.rows(
        "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (null, 'a', 'active', 0, 0, 0, 0)",
      )
    }),
  )
  const ends = await Promise.allSettled(waiting)
  expect(ends.map((end) => end.status === 'rejected' && (end.reason as StorageFailure).trouble)).toEqual([
    'busy',
    'busy',
    'busy',
  ])
  const [first = 0, ...later] = tries
  expect(Math.min(...later)).toBeGreaterThan(0)
  expect(Math.max(...later)).toBeLessThan(first)
  other.run('COMMIT')
  other.close()
  await add(db, 'late')
  expect(await names(db)).toEqual(['late'])
})

test('a transaction that awaits anything but its statements is undone', () =>
  opened(async (db) => {
    const slow = db.begin(async (tx) => {
      await add(tx, 'one')
      await Bun.sleep(1)
    })
    await expect(slow).rejects.toThrow('awaited something else')
    expect(await names(db)).toEqual([])
  }))

test('waiting transactions are written before the database closes', async () => {
  const db = openDb(folder.at('a.db'))
  const waiting = ['one', 'two'].map((name, at) => db.begin((tx) => add(tx, name), { durable: at === 0 }))
  waiting.push(db.begin((tx) => add(tx, 'three')))
  await db.close()
  await Promise.all(waiting)
  await using again = openDb(folder.at('a.db'))
  expect((await names(again)).sort()).toEqual(['one', 'three', 'two'])
})

test('nothing is written past `write` and `begin`', () =>
  opened(async (db) => {
    expect(() => db.rows('INSERT INTO erased_accounts VALUES (1, 0)')).toThrow('readonly')
  }))

test('a database opened for reading writes nothing', async () => {
  openDatabase(folder.at('a.db')).close()
  const db = openDb(folder.at('a.db'), { readonly: true })
  expect(() => db.begin((tx) => add(tx, 'one'))).toThrow('opened to be read')
  expect(await names(db)).toEqual([])
  await db.close()
})

test.each([true, false])(
  'while its files are not in place nothing is written, durable or not: %p',
  async (durable) => {
    let trouble: string | undefined
    const db = openDb(folder.at(`moved-${durable}.db`), { trouble: () => trouble })
    const write = (name: string) => db.begin((tx) => add(tx, name), { durable })
    await write('before')
    trouble = 'moved'
    await expect(write('meanwhile')).rejects.toMatchObject({ trouble: 'read_only' })
    trouble = undefined
    await write('after')
    expect(await names(db)).toEqual(['before', 'after'])
    await db.close()
  },
)

test('a snapshot does not see later writes, and reads beside it do', () =>
  opened(async (db) => {
    await db.snapshot(async (then) => {
      expect(await names(then)).toEqual([])
      await db.begin((tx) => add(tx, 'one'))
      expect([await names(then), await names(db)]).toEqual([[], ['one']])
    })
  }))

test('a snapshot uses the prepared statements of an earlier one, and simultaneous ones share none', () =>
  opened(async (db) => {
    const orms: Orm[] = []
    const namesIn = (beside?: () => Promise<unknown>) =>
      db.snapshot(async (then) => {
        orms.push(then.orm)
        await beside?.()
        return await names(then)
      })
    expect(await namesIn()).toEqual([])
    await add(db, 'one')
    expect(await namesIn(() => namesIn())).toEqual(['one'])
    const [first, second, beside] = orms
    expect(second).toBe(first as Orm)
    expect(beside).not.toBe(first as Orm)
  }))

test('a snapshot that fails leaves nothing open to the next', () =>
  opened(async (db) => {
    await expect(db.snapshot(() => Promise.reject(new Error('mine')))).rejects.toThrow('mine')
    await add(db, 'one')
    expect(await db.snapshot(names)).toEqual(['one'])
  }))

test('a snapshot that ends after the database was closed leaves no connection', async () => {
  const db = openDb(folder.at('a.db'))
  const { promise: over, resolve: end } = Promise.withResolvers<void>()
  let inside: Db | undefined
  const reading = db.snapshot((then) => {
    inside = then
    return over
  })
  await db.close()
  end()
  await reading
  expect(() => inside?.rows('SELECT 1')).toThrow()
})
