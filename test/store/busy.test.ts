// Waiting for another connection's write lock: the event loop goes on meanwhile.
import { Database, SQLiteError } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { neverBlock, untilFree } from '../../src/store/busy.ts'
import { folderOfEachTest } from '../support/test-folder.ts'

const folder = folderOfEachTest()
let db: Database
let other: Database

beforeEach(() => {
  db = new Database(folder.at('a.db'))
  other = new Database(folder.at('a.db'))
  db.run('PRAGMA journal_mode = WAL')
  db.run('CREATE TABLE t (v INTEGER) STRICT')
  neverBlock(db)
})

afterEach(() => {
  db.close()
  other.close()
})

const add = (v: number) => db.transaction(() => void db.run('INSERT INTO t VALUES (?)', [v])).immediate()
const rows = () => db.query('SELECT v FROM t').values().flat()

test('work runs once when the lock becomes free, and timers run until then', async () => {
  other.run('BEGIN IMMEDIATE')
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
    if (ticks === 5) other.run('COMMIT')
  }, 1)
  await untilFree(() => add(7))
  clearInterval(timer)
  expect([rows(), ticks >= 5]).toEqual([[7], true])
})

test('work fails with SQLITE_BUSY if the lock does not become free in time, and nothing is written', async () => {
  other.run('BEGIN IMMEDIATE')
  const failure = await untilFree(() => add(7), 20).catch((thrown: unknown) => thrown)
  expect(failure).toBeInstanceOf(SQLiteError)
  expect(failure).toMatchObject({ code: 'SQLITE_BUSY' })
  other.run('COMMIT')
  expect(rows()).toEqual([])
})

test('work that throws for another reason is not tried again', async () => {
  let tries = 0
  const failing = untilFree(() => {
    tries += 1
    db.run('INSERT INTO t VALUES (?)', ['no integer'])
  })
  await expect(failing).rejects.toThrow('cannot store TEXT')
  expect(tries).toBe(1)
})
