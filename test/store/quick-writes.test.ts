// Writes that do not wait for the disk: they, too, copy the write-ahead log into the file, even if nothing is committed to the ledger.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'

/** The number of rows in the file without its log. */
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
])('the log is copied %s: of %d rows the file has %d', async (_, writes, copied) => {
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
  // The copy is made after the last write is answered.
  await Promise.resolve()
  expect(rowsIn(path)).toBe(copied)
  await db.close()
  rmSync(folder, { recursive: true })
})
