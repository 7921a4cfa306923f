// Reconciliation of the database copy with the files that were found: rows of files deleted since the copy are removed.
import type { Database } from 'bun:sqlite'
import { responseQueries } from '../../../src/responses/queries.ts'
import { deleteLast } from '../../../src/responses/rows.ts'
import type { Db } from '../../../src/store/db.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'

interface SettledFiles {
  /** Files whose rows were deleted from the live database, too, and now from the copy. */
  deleted: string[]
  /** Files whose rows still exist. */
  missing: string[]
}

/** The column that names the files of a folder, and whether its values include the folder. */
const FILE_COLUMNS: Readonly<Record<string, { table: string; column: string; with_folder?: boolean }>> = {
  images: { table: 'generations', column: 'file_key' },
  files: { table: 'files', column: 'key', with_folder: true },
  responses: { table: 'responses', column: 'body_file' },
  answers: { table: 'idempotency_keys', column: 'body_file' },
}
/** Folders whose rows can be deleted alone. Responses are deleted with their conversation; a start deletes answers without a file. */
const INDEPENDENT_FOLDERS: readonly string[] = ['images', 'files']

/**
 * Deletes from the copy the rows of absent files whose rows the live database has deleted, too.
 * @param copy the copy, which is written to
 * @param live the original database, on any engine, which is only read
 * @param absent paths of files that the copy names but that do not exist
 */
export async function settleCopy(copy: Database, live: Db, absent: readonly string[]): Promise<SettledFiles> {
  const deleted: string[] = []
  const missing: string[] = []
  // The live database is read first, because a transaction on the copy must not await anything else.
  for (const path of absent) ((await isDeleted(live, path)) ? deleted : missing).push(path)
  const deleted_responses = deleted.some((path) => path.startsWith('responses/'))
    ? await deletedResponses(copy, live)
    : []
  await dbOver(copy).begin(async (tx) => {
    for (const path of deleted) removeRow(copy, path)
    for (const id of deleted_responses) {
      const row = await responseQueries(tx).row.get({ id })
      if (row && row.later === 0) await deleteLast(tx, [row], -1)
    }
  })
  return { deleted, missing }
}

function rowNaming(path: string) {
  const [folder = '', ...rest] = path.split('/')
  const row = FILE_COLUMNS[folder]
  return { folder, row, value: row?.with_folder ? path : rest.join('/') }
}

/** Whether no row of the live database names the file. No rows name the files of plugins, so those count as deleted. */
async function isDeleted(live: Db, path: string): Promise<boolean> {
  const { folder, row, value } = rowNaming(path)
  if (!row) return folder === 'plugins'
  const text = `SELECT 1 AS one FROM ${row.table} WHERE ${row.column} = $value`
  return (await live.rows(text, { value })).length === 0
}

function removeRow(copy: Database, path: string): void {
  const { folder, row, value } = rowNaming(path)
  if (row && INDEPENDENT_FOLDERS.includes(folder))
    copy.query(`DELETE FROM ${row.table} WHERE ${row.column} = ?`).run(value)
}

const PAGE_ROWS = 1_000

/** Finds responses that the live database no longer has. @returns ids, newest first, so that each is deleted after those that continue it */
async function deletedResponses(copy: Database, live: Db): Promise<number[]> {
  const page = copy.query<{ id: number; response_id: string }, [number, number]>(
    'SELECT id, response_id FROM responses WHERE id < ? ORDER BY id DESC LIMIT ?',
  )
  const ids: number[] = []
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = page.all(before, PAGE_ROWS)
    const last = rows.at(-1)
    if (!last) return ids
    const found = await live.rows<{ id: number; response_id: string }>(
      'SELECT id, response_id FROM responses WHERE id >= $from AND id < $before',
      { from: last.id, before },
    )
    const kept = new Set(found.map(({ id, response_id }) => `${id} ${response_id}`))
    ids.push(...rows.filter(({ id, response_id }) => !kept.has(`${id} ${response_id}`)).map(({ id }) => id))
    before = last.id
  }
}
