// The copy of the database brought in line with the files that were found: rows of what was deleted meanwhile go.
import type { Database } from 'bun:sqlite'
import { responseQueries } from '../../../src/responses/queries.ts'
import { deleteLast } from '../../../src/responses/rows.ts'
import type { Db } from '../../../src/store/db.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'

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
 * @param live the database that it was made of, on any engine; only read
 * @param absent paths of files that the copy names, and that are not there
 */
export async function settleCopy(copy: Database, live: Db, absent: readonly string[]): Promise<Absent> {
  const deleted: string[] = []
  const missing: string[] = []
  // The other database is read before anything is written: a transaction awaits nothing else.
  for (const path of absent) ((await isGone(live, path)) ? deleted : missing).push(path)
  const gone_responses = deleted.some((path) => path.startsWith('responses/'))
    ? await goneResponses(copy, live)
    : []
  await dbOver(copy).begin(async (tx) => {
    for (const path of deleted) removeRow(copy, path)
    for (const id of gone_responses) {
      const row = await responseQueries(tx).row.get({ id })
      if (row && row.later === 0) await deleteLast(tx, [row], -1)
    }
  })
  return { deleted, missing }
}

async function isGone(live: Db, path: string): Promise<boolean> {
  const { kind, folder, name } = partsOf(path)
  if (kind) return !(await isIn(live, kind.table, kind.column, name))
  if (folder === 'responses') return !(await isIn(live, 'responses', 'body_file', name))
  if (folder === 'answers') return !(await isIn(live, 'idempotency_keys', 'body_file', name))
  return folder === 'plugins'
}

const isIn = async (live: Db, table: string, column: string, value: string): Promise<boolean> =>
  (await live.rows(`SELECT 1 AS one FROM ${table} WHERE ${column} = $value`, { value })).length > 0

function removeRow(copy: Database, path: string): void {
  const { kind, name } = partsOf(path)
  if (kind) copy.query(`DELETE FROM ${kind.table} WHERE ${kind.column} = ?`).run(name)
}

function partsOf(path: string) {
  const [folder = '', ...rest] = path.split('/')
  const kind = KINDS[folder]
  return { kind, folder, name: kind?.inFolder === false ? path : rest.join('/') }
}

const PAGE_ROWS = 1_000

/** Conversations go from their ends, as they did in the database: whatever continued a deleted response is gone as well. @returns ids, newest first */
async function goneResponses(copy: Database, live: Db): Promise<number[]> {
  const page = copy.query<{ id: number; response_id: string }, [number, number]>(
    'SELECT id, response_id FROM responses WHERE id < ? ORDER BY id DESC LIMIT ?',
  )
  const gone: number[] = []
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const rows = page.all(before, PAGE_ROWS)
    const last = rows.at(-1)
    if (!last) return gone
    const found = await live.rows<{ id: number; response_id: string }>(
      'SELECT id, response_id FROM responses WHERE id >= $from AND id < $before',
      { from: last.id, before },
    )
    const there = new Set(found.map(({ id, response_id }) => `${id} ${response_id}`))
    gone.push(...rows.filter(({ id, response_id }) => !there.has(`${id} ${response_id}`)).map(({ id }) => id))
    before = last.id
  }
}
