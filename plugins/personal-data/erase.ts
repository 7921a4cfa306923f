// The erasure of an account's data: files, rows and texts are deleted, amounts stay under a pseudonym, and the database keeps no trace of the texts.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pseudonymOf } from '../../src/access/accounts.ts'
import { accountQueries } from '../../src/access/queries.ts'
import { requireOwnFiles } from '../../src/app/process/files/claim.ts'
import { type FileStores, storedAt } from '../../src/app/process/files/stores.ts'
import { JOURNAL_NAME } from '../../src/calls/settling/journal.ts'
import { forgetAccount, refuseLimits } from '../../src/catalogue/past.ts'
import { conflict } from '../../src/domain/errors.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import type { Scrubbing } from '../../src/store/engines/sqlite/scrubbing.ts'
import {
  erasedColumns,
  isOfAccount,
  type RuledTable,
  ruledTables,
  type StoredTable,
} from '../../src/store/stored-table.ts'
import { startErasing } from './closing.ts'

export interface EraseOptions {
  /** Rewrites the same database. */
  scrubbing: Scrubbing
  /** All tables of the database, including plugins'. */
  tables: readonly StoredTable[]
  /** The folder with the journal of settlements. */
  data_folder: string
  files: FileStores
  account: string
  now_ms: number
  /** Called after each step with its name; for tests that kill the command. */
  probe?: (point: string) => void
}

interface Erased {
  account_id: number
  /** The account's name after the erasure. */
  pseudonym: string
  /** The number of rows that were deleted or blanked, by table. */
  rows: Record<string, number>
  files: number
}

/** @throws GatewayError conflict while the journal of a stopped gateway has settlements: they would be recorded after the erasure */
function refusePendingSettlements(data_folder: string): void {
  if (existsSync(join(data_folder, JOURNAL_NAME)))
    throw conflict(
      'The last stop left calls that are still to be charged. Start the gateway once, then erase the account.',
    )
}

/** Per transaction: a running gateway waits for it for some milliseconds. */
const ROWS_AT_ONCE = 1_000
/** Between two transactions, so that others get the write lock. */
const PAUSE_MS = 5
/** Parallel deletions; in a bucket each takes two requests. */
const FILES_AT_ONCE = 16

/**
 * Erases an account's data, whether or not a gateway is running. A killed erasure continues when it is run again, with the account's name or its
 * pseudonym: the name is erased last.
 *
 * @throws GatewayError as `startErasing` and `refuseLimits`, and as `requireOwnFiles` before any change; conflict while settlements wait in the
 * journal; unprocessable if others keep the database busy: run it again
 */
export async function eraseAccount(db: Db, options: EraseOptions): Promise<Erased> {
  const { scrubbing, account, data_folder, files, now_ms, probe = () => {} } = options
  refusePendingSettlements(data_folder)
  await requireOwnFiles(db, files, 'write')
  await refuseLimits(db, account)
  const { id: account_id } = await startErasing(db, account, now_ms)
  probe('erase.started')
  const result: Erased = { account_id, pseudonym: pseudonymOf(account_id), rows: {}, files: 0 }
  const tables = ruledTables(options.tables)
  for (const table of tables) {
    const { name, rule } = table
    if (rule.owner === 'id') continue
    const count =
      rule.erases === 'rows'
        ? await deleteRows(db, { ...table, account_id, removeFiles: fileRemover(files, result) })
        : await blankColumns(db, { ...table, account_id })
    if (count > 0) result.rows[name] = count
    probe(`erase.${name}`)
  }
  const versions = await db.begin((tx) => forgetLimits(tx, account_id))
  if (versions > 0) result.rows.catalogues = versions
  // Also deletes files without a row: orphaned ones, and those whose row is not written yet.
  for (const store of [files.images, files.files]) await store.removeAllOf(String(account_id))
  probe('erase.folders')
  await scrubbing.scrub([...tables.map(({ name }) => name), 'catalogues'])
  probe('erase.rewritten')
  for (const table of tables) await eraseOwnRow(scrubbing, { ...table, account_id })
  probe('erase.renamed')
  return result
}

/** Deletes stored versions of the catalogue that name the account in their limits. @returns the number of versions */
async function forgetLimits(tx: Tx, account_id: number): Promise<number> {
  const row = await accountQueries(tx).accountById.get({ id: account_id })
  return row ? await forgetAccount(tx, row.name) : 0
}

interface AccountTable extends RuledTable {
  account_id: number
}

/** Deletes files before their rows, so that a killed command leaves no file without a row. */
const fileRemover =
  (stores: FileStores, result: Erased) => async (rows: readonly { path: string | null }[]) => {
    const removeOne = async (path: string) => {
      const { store, key } = storedAt(stores, path)
      if (!(await store.has(key))) return
      await store.remove(key)
      result.files += 1
    }
    const paths = rows.flatMap(({ path }) => path ?? [])
    for (let at = 0; at < paths.length; at += FILES_AT_ONCE)
      await Promise.all(paths.slice(at, at + FILES_AT_ONCE).map(removeOne))
  }

/** Deletes newest rows first: only newer responses continue an older one, and must be deleted before it. */
async function deleteRows(
  db: Db,
  { name, rule, account_id, removeFiles }: AccountTable & { removeFiles: ReturnType<typeof fileRemover> },
): Promise<number> {
  const path = `${rule.file ?? 'NULL'} AS path`
  const newest = `SELECT id, ${path} FROM ${name} WHERE ${isOfAccount(rule)} ORDER BY id DESC LIMIT ${ROWS_AT_ONCE}`
  const remove = `DELETE FROM ${name} WHERE ${isOfAccount(rule)} AND id >= $from_id RETURNING ${path}`
  let count = 0
  for (;;) {
    const rows = await db.rows<{ id: number; path: string | null }>(newest, { account_id })
    const last = rows.at(-1)
    if (!last) return count
    await removeFiles(rows)
    const removed = await db.begin((tx) =>
      tx.rows<{ path: string | null }>(remove, { account_id, from_id: last.id }),
    )
    // A response that was being stored meanwhile may have got its file after the query.
    const named = new Set(rows.map(({ path }) => path))
    await removeFiles(removed.filter(({ path }) => !named.has(path)))
    count += removed.length
    await Bun.sleep(PAUSE_MS)
  }
}

/** Blanks the columns to erase; rows that are blank already are not written. */
async function blankColumns(db: Db, { name, rule, account_id }: AccountTable): Promise<number> {
  const columns = erasedColumns(rule)
  if (columns.length === 0) return 0
  const changes = columns.map(([column, sql]) => `${column} = ${sql}`).join()
  const differs = columns.map(([column, sql]) => `${column} IS DISTINCT FROM ${sql}`).join(' OR ')
  const range = `${isOfAccount(rule)} AND id > $after_id`
  const next = `SELECT max(id) AS last_id FROM (SELECT id FROM ${name} WHERE ${range} ORDER BY id LIMIT ${ROWS_AT_ONCE}) AS page`
  const blank = `UPDATE ${name} SET ${changes} WHERE ${range} AND id <= $last_id AND (${differs}) RETURNING id`
  let count = 0
  for (let after_id = 0; ; ) {
    const [found] = await db.rows<{ last_id: number | null }>(next, { account_id, after_id })
    const last_id = found?.last_id ?? null
    if (last_id === null) return count
    const page = { account_id, after_id, last_id }
    count += (await db.begin((tx) => tx.rows(blank, page))).length
    after_id = last_id
    await Bun.sleep(PAUSE_MS)
  }
}

/** Erases the columns of the account's own row, such as its name. */
async function eraseOwnRow(scrubbing: Scrubbing, { name, rule, account_id }: AccountTable): Promise<void> {
  if (rule.owner !== 'id') return
  const changes = erasedColumns(rule).map(([column, sql]) => `${column} = ${sql}`)
  await scrubbing.replace(name, `UPDATE ${name} SET ${changes.join()} WHERE id = $account_id`, { account_id })
}
