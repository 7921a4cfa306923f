// The erasure of a person's data: files, rows and texts go, amounts stay under a pseudonym, and nothing of it is left in the file.
import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beginErasing } from '../../access/erasing.ts'
import { accountQueries } from '../../access/queries.ts'
import { forgetAccount } from '../../config/past.ts'
import { untilFree } from '../../db/busy.ts'
import type { Db } from '../../db/db.ts'
import { erasedColumns, PERSONAL_DATA, pseudonymOf, type TableRule } from '../../db/personal-data.ts'
import { dbOver } from '../../db/sqlite.ts'
import type { By } from '../../domain/actions.ts'
import { conflict, unprocessable } from '../../domain/errors.ts'
import { JOURNAL_NAME } from '../../exchange/settling/journal.ts'
import { foldersIn } from '../../library/library.ts'

export interface EraseOptions {
  data_folder: string
  account: string
  now_ms: number
  /** Whose change it is in the audit log; absent: the gateway's own. */
  by?: By | undefined
  /** Called after each step with its name; for tests of kills. */
  probe?: (point: string) => void
}

export interface Erased {
  account_id: number
  /** What the account is called now. */
  pseudonym: string
  /** Rows that were deleted, and rows whose texts were, by table. */
  rows: Record<string, number>
  files: number
}

/** @throws GatewayError conflict while a stopped gateway's settlements wait in its journal: they would be recorded after the erasure */
function refuseUnwritten(data_folder: string): void {
  if (existsSync(join(data_folder, JOURNAL_NAME)))
    throw conflict(
      'The last stop left calls that are still to be charged. Start the gateway once, then erase the account.',
    )
}

/** Of one transaction: a gateway that serves waits for it some milliseconds. */
const ROWS_AT_ONCE = 1_000
/** Between two of them, so that others get the write lock. */
const PAUSE_MS = 5
/** For whoever still reads what was there before. */
const MAX_WAIT_MS = 60_000

/**
 * Erases a person's data, beside a gateway that serves or not. What was killed goes on when it is run again, by the
 * account's name or by its pseudonym: the name is the last that goes.
 *
 * @throws GatewayError as `beginErasing`; conflict while settlements wait to be written; unprocessable if others keep the database busy: run it again
 */
export async function eraseAccount(db: Database, options: EraseOptions): Promise<Erased> {
  const { account, data_folder, now_ms, by, probe = () => {} } = options
  refuseUnwritten(data_folder)
  const all = dbOver(db)
  const { id: account_id } = await all.begin((tx) => beginErasing(tx, account, now_ms), { by })
  probe('erase.begun')
  const result: Erased = { account_id, pseudonym: pseudonymOf(account_id), rows: {}, files: 0 }
  for (const [table, rule] of Object.entries(PERSONAL_DATA)) {
    if (table === 'accounts') continue
    const count =
      rule.erases === 'rows'
        ? await deleteRows(db, { table, rule, account_id, removeFiles: removerIn(data_folder, result) })
        : await blankColumns(db, { table, rule, account_id })
    if (count > 0) result.rows[table] = count
    probe(`erase.${table}`)
  }
  const versions = await all.begin((tx) => forgetLimits(tx, account_id), { by })
  if (versions > 0) result.rows.catalogues = versions
  // Files that no row names any more, or names yet.
  for (const store of Object.values(foldersIn(data_folder))) await store.removeAllOf(String(account_id))
  probe('erase.folders')
  await rewrite(db)
  probe('erase.rewritten')
  await rename(db, account_id)
  probe('erase.renamed')
  await emptyLog(db)
  return result
}

/** Kept texts of the catalogue that have limits for the account's name. @returns how many were deleted */
async function forgetLimits(tx: Db, account_id: number): Promise<number> {
  const row = await accountQueries(tx).accountById.get({ id: account_id })
  return row ? await forgetAccount(tx, row.name) : 0
}

interface Part {
  table: string
  rule: TableRule
  account_id: number
}

/** Files go before their rows, so that a kill leaves no file that no row names. */
const removerIn =
  (data_folder: string, result: Erased) => async (rows: readonly { path: string | null }[]) => {
    for (const { path } of rows) {
      if (path === null || !existsSync(join(data_folder, path))) continue
      await rm(join(data_folder, path), { force: true })
      result.files += 1
    }
  }

/** The newest first: a response is continued by newer ones only, and may not go before them. */
async function deleteRows(
  db: Database,
  { table, rule, account_id, removeFiles }: Part & { removeFiles: ReturnType<typeof removerIn> },
): Promise<number> {
  const newest = db.query<{ id: number; path: string | null }, [number, number]>(
    `SELECT id, ${rule.file ?? 'NULL'} AS path FROM ${table} WHERE ${rule.owner} = ? ORDER BY id DESC LIMIT ?`,
  )
  const remove = db.query<{ path: string | null }, [number, number]>(
    `DELETE FROM ${table} WHERE ${rule.owner} = ? AND id >= ? RETURNING ${rule.file ?? 'NULL'} AS path`,
  )
  let count = 0
  for (;;) {
    const rows = newest.all(account_id, ROWS_AT_ONCE)
    const last = rows.at(-1)
    if (!last) return count
    await removeFiles(rows)
    const removed = await untilFree(() => remove.all(account_id, last.id))
    // An answer that was being kept meanwhile has got its file since.
    await removeFiles(removed)
    count += removed.length
    await Bun.sleep(PAUSE_MS)
  }
}

/** Rows that have nothing to be erased are not written. */
async function blankColumns(db: Database, { table, rule, account_id }: Part): Promise<number> {
  const columns = erasedColumns(rule)
  if (columns.length === 0) return 0
  const changes = columns.map(([column, sql]) => `${column} = ${sql}`).join()
  const differs = columns.map(([column, sql]) => `${column} IS NOT ${sql}`).join(' OR ')
  const range = `${rule.owner} = ? AND id > ?`
  const next = db.query<{ last: number | null }, [number, number, number]>(
    `SELECT max(id) AS last FROM (SELECT id FROM ${table} WHERE ${range} ORDER BY id LIMIT ?)`,
  )
  const blank = db.query(`UPDATE ${table} SET ${changes} WHERE ${range} AND id <= ? AND (${differs})`)
  let count = 0
  for (let after = 0; ; ) {
    const last = next.get(account_id, after, ROWS_AT_ONCE)?.last
    if (last === null || last === undefined) return count
    count += await untilFree(() => blank.run(account_id, after, last).changes)
    after = last
    await Bun.sleep(PAUSE_MS)
  }
}

/** What SQLite deletes stays in the file until its place is used again. Written anew, the file has only what is there. */
const rewrite = (db: Database): Promise<void> => untilFree(() => void db.run('VACUUM'), MAX_WAIT_MS)

async function rename(db: Database, account_id: number): Promise<void> {
  const { accounts } = PERSONAL_DATA
  if (!accounts) throw new Error('the list of personal data lacks the accounts')
  // The place of the old name is written over.
  db.run('PRAGMA secure_delete = ON')
  const changes = erasedColumns(accounts).map(([column, sql]) => `${column} = ${sql}`)
  await untilFree(() => db.query(`UPDATE accounts SET ${changes.join()} WHERE id = ?`).run(account_id))
}

/** Copies the write-ahead log into the file and empties it, once nobody reads from it. */
async function emptyLog(db: Database): Promise<void> {
  const due_ms = performance.now() + MAX_WAIT_MS
  for (;;) {
    const done = db.query<{ busy: number }, []>('PRAGMA wal_checkpoint(TRUNCATE)').get()
    if (done?.busy === 0) return
    if (performance.now() > due_ms)
      throw unprocessable(
        'All is erased but for the write-ahead log, which another program still reads. Run it again with the new name when that has ended.',
      )
    await Bun.sleep(PAUSE_MS)
  }
}
