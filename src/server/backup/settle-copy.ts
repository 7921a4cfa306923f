// The copy of the database brought in line with the files that were found: rows of what was deleted meanwhile go.
import type { Database } from 'bun:sqlite'
import type { Tx } from '../../db/db.ts'
import { dbOver } from '../../db/sqlite.ts'
import { responseQueries } from '../../responses/queries.ts'
import { deleteLast } from '../../responses/rows.ts'

export interface Absent {
  /** Their rows are gone from the database, too, and from the copy now. */
  deleted: string[]
  /** Their rows are still there. */
  missing: string[]
}

/** How a path's row is found, and taken away. Answers need not be: the start forgets those without their file. */
const KINDS: Readonly<Record<string, { table: string; column: string; inFolder: boolean }>> = {
  images: { table: 'generations', column: 'file_key', inFolder: true },
  files: { table: 'files', column: 'key', inFolder: false },
}

/**
 * @param copy the copy; written to
 * @param live the database that it was made of; only read
 * @param absent paths of files that the copy names, and that are not there
 */
export async function settleCopy(copy: Database, live: Database, absent: readonly string[]): Promise<Absent> {
  const deleted: string[] = []
  const missing: string[] = []
  await dbOver(copy).begin(async (tx) => {
    for (const path of absent) (isGone(copy, live, path) ? deleted : missing).push(path)
    if (deleted.some((path) => path.startsWith('responses/'))) await dropGoneResponses(tx, copy, live)
  })
  return { deleted, missing }
}

function isGone(copy: Database, live: Database, path: string): boolean {
  const [folder = '', ...rest] = path.split('/')
  const inside = rest.join('/')
  if (folder === 'responses' || folder === 'answers') {
    const table = folder === 'responses' ? 'responses' : 'idempotency_keys'
    return !live.query(`SELECT 1 FROM ${table} WHERE body_file = ?`).get(inside)
  }
  const kind = KINDS[folder]
  if (!kind) return folder === 'plugins'
  const key = kind.inFolder ? inside : path
  if (live.query(`SELECT 1 FROM ${kind.table} WHERE ${kind.column} = ?`).get(key)) return false
  copy.query(`DELETE FROM ${kind.table} WHERE ${kind.column} = ?`).run(key)
  return true
}

/** Conversations go from their ends, as they did in the database: whatever continued a deleted response is gone as well. */
async function dropGoneResponses(tx: Tx, copy: Database, live: Database): Promise<void> {
  const ids = copy.query<{ id: number; response_id: string }, []>(
    'SELECT id, response_id FROM responses ORDER BY id DESC',
  )
  for (const { id, response_id } of ids.all()) {
    if (live.query('SELECT 1 FROM responses WHERE id = ? AND response_id = ?').get(id, response_id)) continue
    const row = await responseQueries(tx).row.get({ id })
    if (row && row.later === 0) await deleteLast(tx, [row], -1)
  }
}
