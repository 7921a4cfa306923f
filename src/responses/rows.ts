// The rows of kept responses: conversations as chains of rows, of which only the last ones can go.
import type { Awaitable, Db, Writing } from '../db/db.ts'
import type { ResponseRow } from '../db/schema.ts'
import type { BodyColumns } from '../kept/content.ts'
import type { KeptResponse } from './kept-responses.ts'
import { responseQueries } from './queries.ts'

export type Row = Omit<ResponseRow, 'body'>

/** A power cut may take the last responses, as it may not take what the ledger wrote. */
export const LOSABLE: Writing = { durable: false }

/** The row of a response, where its account may see it. */
export const findShown = (
  db: Db,
  values: { account_id: number; response_id: string; expired_by_ms: number },
): Awaitable<Row | undefined> => responseQueries(db).shown.get(values)

/** More than any conversation has. */
const ALL_ROWS = 1_000_000

/** The rows of a conversation up to and with this one, the newest first. @param max_before of those before it */
export async function chainFrom(db: Db, row: Row, max_before = ALL_ROWS): Promise<Row[]> {
  if (row.previous === null) return [row]
  return [row, ...(await responseQueries(db).chain.all({ id: row.previous, row_limit: max_before }))]
}

/**
 * Writes the row of a response.
 *
 * @returns false if the response that it continues is gone: it would say less than it was asked
 */
export function insertRow(db: Db, kept: KeptResponse, columns: BodyColumns): Promise<boolean> {
  const { account_id, id, previous_id, created_at_ms } = kept
  return db.begin(async (tx) => {
    const queries = responseQueries(tx)
    const previous =
      previous_id === undefined
        ? undefined
        : await queries.named.get({ account_id, response_id: previous_id })
    if (previous_id !== undefined && !previous) return false
    await queries.insert.run({
      ...columns,
      account_id,
      response_id: id,
      previous: previous?.id ?? null,
      chain_bytes: columns.kept_bytes + (previous?.chain_bytes ?? 0),
      chain_length: 1 + (previous?.chain_length ?? 0),
      created_at_ms,
    })
    if (previous) await queries.countLater.run({ id: previous.id })
    return true
  }, LOSABLE)
}

/**
 * Deletes rows that none continues, and with each those before it that were kept only for it: deleted ones, and ones past
 * their time.
 *
 * @param tx a transaction, in which the rows were read
 * @param gone_by_ms rows of this time or earlier are past it
 * @returns all that were deleted
 */
export async function deleteLast(tx: Db, last: readonly Row[], gone_by_ms: number): Promise<Row[]> {
  const queries = responseQueries(tx)
  const gone: Row[] = []
  for (const row of last)
    for (let next: Row | undefined = row; next; ) {
      await queries.deleteRow.run({ id: next.id })
      gone.push(next)
      const before: Row | undefined =
        next.previous === null ? undefined : await queries.row.get({ id: next.previous })
      if (before) await queries.uncountLater.run({ id: before.id })
      next = before && goesWithLast(before, gone_by_ms) ? before : undefined
    }
  return gone
}

const MAX_DELETED = 100

/** Deletes some responses of an account, whole conversations first, in a transaction. @returns what went */
export async function deleteSomeOf(tx: Db, account_id: number): Promise<Row[]> {
  const last = await responseQueries(tx).oldestLast.all({ account_id, row_limit: MAX_DELETED })
  return await deleteLast(tx, last, Number.MAX_SAFE_INTEGER)
}

/** Deletes all responses of an account that is closed. @returns what went; its files are the caller's to remove */
export async function deleteAllOf(db: Db, account_id: number): Promise<Row[]> {
  const gone: Row[] = []
  for (;;) {
    const some = await db.begin((tx) => deleteSomeOf(tx, account_id))
    if (some.length === 0) return gone
    gone.push(...some)
  }
}

/** @param row as it was when one response still continued it, or several */
const goesWithLast = ({ later, deleted, created_at_ms }: Row, gone_by_ms: number): boolean =>
  later === 1 && (deleted === 1 || created_at_ms <= gone_by_ms)

/** Deletes a response for its caller, in a transaction: its row, or, where others continue it, that it is shown. @returns what went */
export async function deleteNamed(tx: Db, row: Row, gone_by_ms: number): Promise<Row[]> {
  if (row.later === 0) return await deleteLast(tx, [row], gone_by_ms)
  await responseQueries(tx).markDeleted.run({ id: row.id })
  return []
}
