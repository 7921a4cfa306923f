// A restore of the database alone: into a folder without one, whose other files stay.
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { refuseDatabase, restoreDatabase } from '../../plugins/backups/restoring/restore-database.ts'
import { dataPaths } from '../../src/app/process/data-paths.ts'
import { writeSnapshot } from '../../src/app/process/snapshot.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { temporary } from '../support/temporary.ts'

const CHANGED = `INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)
                 VALUES (7, 'anna', 'active', 0, 0, 0, 0)`

/** A folder whose database has anna, and a copy without the account. */
async function prepare() {
  const folder = temporary()
  const [database, copy] = [folder.at('tollgate.db'), folder.at('copy')]
  const db = openDatabase(database)
  await writeSnapshot(db, copy)
  db.run(CHANGED)
  db.close()
  return Object.assign(folder, { copy, database, paths: dataPaths(folder.path) })
}

function accountsIn(path: string): number {
  const db = openDatabase(path, { readonly: true })
  try {
    return db.query('SELECT name FROM accounts').all().length
  } finally {
    db.close()
  }
}

test.each(['tollgate.db', 'tollgate.db-wal'])('a restore beside %s is refused, with advice', (name) => {
  using folder = temporary()
  writeFileSync(folder.at(name), 'x')
  expect(() => refuseDatabase(dataPaths(folder.path))).toThrow(
    `${folder.path} is not empty: it has ${name}. Restore into a new folder with --to, or move ${name} out of ${folder.path} first.`,
  )
})

test('once the database is moved away, the copy is in its place, and all else stays', async () => {
  using folder = await prepare()
  mkdirSync(folder.at('images'))
  writeFileSync(folder.at('images/one.png'), 'one')
  renameSync(folder.database, folder.at('old.db'))
  refuseDatabase(folder.paths)
  expect(await restoreDatabase(folder.copy, folder.paths, async () => false)).toBe(false)
  expect([accountsIn(folder.database), accountsIn(folder.at('old.db'))]).toEqual([0, 1])
  expect(readFileSync(folder.at('images/one.png'), 'utf8')).toBe('one')
})

test('a failure leaves no new database', async () => {
  using folder = await prepare()
  renameSync(folder.database, folder.at('old.db'))
  const failing = () => Promise.reject(new Error('ended'))
  await expect(restoreDatabase(folder.copy, folder.paths, failing)).rejects.toThrow('ended')
  expect(existsSync(folder.database)).toBe(false)
  expect(readdirSync(folder.path).filter((name) => name.includes('incoming'))).toEqual([])
})
