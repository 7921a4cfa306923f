// The copy of the database brought in line with the files that were found: rows of what was deleted meanwhile go.
import type { Database } from 'bun:sqlite'
import { responseQueries } from '../../../src/responses/queries.ts'
import { deleteLast } from '../../../src/responses/rows.ts'
import type { Db } from '../../../src/store/db.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'

interface Absent {
  /** Their rows are gone from the database, too, and from the copy now. */
  deleted: string[]
  /** Their rows are still there. */
  missing: string[]
}

/** The column that names the files of a folder, and whether with their folder. */
const NAMED_BY: Readonly<Record<string, { table: string; column: string; with_folder?: boolean }>> = {
  images: { table: 'generations', column: 'file_key' },
  files: { table: 'files', column: 'key', with_folder: true },
  responses: { table: 'responses', column: 'body_file' },
  answers: { table: 'idempotency_keys', column: 'body_file' },
}
/** Rows that go by themselves. A response goes with its conversation, and a start forgets answers without their file. */
const WITHOUT_OTHERS: readonly string[] = ['images', 'files']

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

function namedBy(path: string) {
  const [folder = '', ...rest] = path.split('/')
  const row = NAMED_BY[folder]
  return { folder, row, value: row?.with_folder ? path : rest.join('/') }
}

/** Nothing names the files of plugins. */
async function isGone(live: Db, path: string): Promise<boolean> {
  const { folder, row, value } = namedBy(path)
  if (!row) return folder === 'plugins'
  const text = `SELECT 1 AS one FROM ${row.table} WHERE ${row.column} = $value`
  return (await live.rows(text, { value })).length === 0
}

function removeRow(copy: Database, path: string): void {
  const { folder, row, value } = namedBy(path)
  if (row && WITHOUT_OTHERS.includes(folder))
    copy.query(`DELETE FROM ${row.table} WHERE ${row.column} = ?`).run(value)
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
