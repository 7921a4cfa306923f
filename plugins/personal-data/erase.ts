// The erasure of a person's data: files, rows and texts go, amounts stay under a pseudonym, and nothing of it is left in the database.
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
import { beginErasing } from './closing.ts'

export interface EraseOptions {
  /** Of the same database. */
  scrubbing: Scrubbing
  /** Of the database, plugins' included. */
  tables: readonly StoredTable[]
  /** That has the journal. */
  data_folder: string
  files: FileStores
  account: string
  now_ms: number
  /** Called after each step with its name; for tests of kills. */
  probe?: (point: string) => void
}

interface Erased {
  account_id: number
  /** The name of the account now. */
  pseudonym: string
  /** Rows that were deleted or lost their texts, by table. */
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
/** In a bucket each is two requests. */
const FILES_AT_ONCE = 16

/**
 * Erases a person's data, beside a gateway that serves or not. An erasure that was killed goes on when it is run again, by the
 * account's name or by its pseudonym: the name is the last that goes.
 *
 * @throws GatewayError as `beginErasing` and `refuseLimits`, and as `requireOwnFiles` before anything is changed; conflict while settlements wait to be written; unprocessable if others keep the database busy: run it again
 */
export async function eraseAccount(db: Db, options: EraseOptions): Promise<Erased> {
  const { scrubbing, account, data_folder, files, now_ms, probe = () => {} } = options
  refuseUnwritten(data_folder)
  await requireOwnFiles(db, files, 'write')
  await refuseLimits(db, account)
  const { id: account_id } = await beginErasing(db, account, now_ms)
  probe('erase.begun')
  const result: Erased = { account_id, pseudonym: pseudonymOf(account_id), rows: {}, files: 0 }
  const tables = ruledTables(options.tables)
  for (const table of tables) {
    const { name, rule } = table
    if (rule.owner === 'id') continue
    const count =
      rule.erases === 'rows'
        ? await deleteRows(db, { ...table, account_id, removeFiles: removerOf(files, result) })
        : await blankColumns(db, { ...table, account_id })
    if (count > 0) result.rows[name] = count
    probe(`erase.${name}`)
  }
  const versions = await db.begin((tx) => forgetLimits(tx, account_id))
  if (versions > 0) result.rows.catalogues = versions
  // Files that no row names any more, or names yet.
  for (const store of [files.images, files.files]) await store.removeAllOf(String(account_id))
  probe('erase.folders')
  await scrubbing.scrub([...tables.map(({ name }) => name), 'catalogues'])
  probe('erase.rewritten')
  for (const table of tables) await rename(scrubbing, { ...table, account_id })
  probe('erase.renamed')
  return result
}

/** Kept texts of the catalogue that have limits for the account's name. @returns how many were deleted */
async function forgetLimits(tx: Tx, account_id: number): Promise<number> {
  const row = await accountQueries(tx).accountById.get({ id: account_id })
  return row ? await forgetAccount(tx, row.name) : 0
}

interface Part extends RuledTable {
  account_id: number
}

/** Files go before their rows, so that a kill leaves no file that no row names. */
const removerOf =
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

/** The newest first: a response is continued by newer ones only, and may not go before them. */
async function deleteRows(
  db: Db,
  { name, rule, account_id, removeFiles }: Part & { removeFiles: ReturnType<typeof removerOf> },
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
    // An answer that was being kept meanwhile has got its file since.
    const named = new Set(rows.map(({ path }) => path))
    await removeFiles(removed.filter(({ path }) => !named.has(path)))
    count += removed.length
    await Bun.sleep(PAUSE_MS)
  }
}

/** Rows that have nothing to be erased are not written. */
async function blankColumns(db: Db, { name, rule, account_id }: Part): Promise<number> {
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

/** The account's own row. */
async function rename(scrubbing: Scrubbing, { name, rule, account_id }: Part): Promise<void> {
  if (rule.owner !== 'id') return
  const changes = erasedColumns(rule).map(([column, sql]) => `${column} = ${sql}`)
  await scrubbing.replace(name, `UPDATE ${name} SET ${changes.join()} WHERE id = $account_id`, { account_id })
}
