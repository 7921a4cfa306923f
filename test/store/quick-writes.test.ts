// Writes that do not wait for the disk: the write-ahead log is copied into the file by them, too, though nobody commits to the ledger.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'

/** What the file has without its log. */
function rowsIn(path: string): number {
  const copy = `${path}.copy`
  copyFileSync(path, copy)
  using db = new Database(copy)
  return db.query<{ rows: number }, []>('SELECT count(*) AS rows FROM route_sums').get()?.rows ?? 0
}

test.each([
  ['not at first', 99, 0],
  ['after some', 100, 100],
  ['not after each', 150, 100],
])('%s: of %d the file has %d', async (_, writes, copied) => {
  const folder = mkdtempSync(join(tmpdir(), 'quick-'))
  const path = join(folder, 'tollgate.db')
  const db = openDb(path)
  using log = new Database(path)
  log.run('PRAGMA wal_checkpoint(TRUNCATE)')
  for (let nth = 1; nth <= writes; nth++)
    await db.write(
      (tx) =>
        tx.rows(`INSERT INTO route_sums VALUES (300, ${nth * 300}, 'm', 'p', 'u', 'answered', 1, 1, 1)`),
      { durable: false },
    )
  // The last one has its copy made after it was answered.
  await Promise.resolve()
  expect(rowsIn(path)).toBe(copied)
  await db.close()
  rmSync(folder, { recursive: true })
})
