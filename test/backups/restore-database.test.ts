// A restore of the database alone: ended at any point there is the old one or the new one.
import { expect, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { restoreDatabase } from '../../plugins/backups/restoring/restore-database.ts'
import { dataPaths } from '../../src/app/process/data-paths.ts'
import { removeLeftovers } from '../../src/app/process/leftovers.ts'
import { writeSnapshot } from '../../src/app/process/snapshot.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { type TemporaryFolder, temporary } from '../support/temporary.ts'

const CHANGED = `INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)
                 VALUES (7, 'anna', 'active', 0, 0, 0, 0)`
const KEPT = 'tollgate.db.replaced-1970-01-01T000000.000Z'

/** A folder whose database has anna, and a copy from before she came. */
async function prepare(): Promise<TemporaryFolder & { copy: string; database: string }> {
  const folder = temporary()
  const [database, copy] = [folder.at('tollgate.db'), folder.at('copy')]
  const db = openDatabase(database)
  await writeSnapshot(db, copy)
  db.run(CHANGED)
  db.close()
  return Object.assign(folder, { copy, database })
}

function accountsIn(path: string): string[] {
  const db = openDatabase(path, { readonly: true })
  try {
    return db
      .query<{ name: string }, []>('SELECT name FROM accounts')
      .all()
      .map(({ name }) => name)
  } finally {
    db.close()
  }
}

const replacedIn = (folder: TemporaryFolder): string[] =>
  readdirSync(folder.path).filter((name) => /\.(replaced-|incoming)/.test(name))

test('the old one is kept beside it', async () => {
  using folder = await prepare()
  expect(await restoreDatabase(folder.copy, dataPaths(folder.path), 0)).toEqual({
    kept: folder.at(KEPT),
    is_on_server: false,
  })
  expect(accountsIn(folder.database)).toEqual([])
  expect(accountsIn(folder.at(KEPT))).toEqual(['anna'])
  // What is kept is no leftover.
  expect(removeLeftovers(folder.path)).toEqual([])
  expect(accountsIn(folder.at(KEPT))).toEqual(['anna'])
})

test.each(['keep', 'place'])('ended before "%s" the old one is there, under one name', async (last) => {
  using folder = await prepare()
  const seen: string[] = []
  const probe = (point: string) => {
    seen.push(point)
    if (point === last) throw new Error('ended')
  }
  await expect(restoreDatabase(folder.copy, dataPaths(folder.path), 0, { probe })).rejects.toThrow('ended')
  expect(seen.at(-1)).toBe(last)
  expect(existsSync(folder.database)).toBe(true)
  removeLeftovers(folder.path)
  expect(accountsIn(folder.database)).toEqual(['anna'])
  expect(replacedIn(folder)).toEqual([])
})
