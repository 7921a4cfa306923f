// The rows of kept responses: each conversation is a chain of rows, which is deleted from its end.
import type { Awaitable, Db, Tx, WriteOptions } from '../store/db.ts'
import type { BodyColumns } from '../store/kept/content.ts'
import type { ResponseRow } from '../store/schema.ts'
import type { KeptResponse } from './kept-responses.ts'
import { responseQueries } from './queries.ts'

export type Row = Omit<ResponseRow, 'body'>

/** Not synced to disk: a power cut may lose the last responses, unlike the ledger's writes. */
export const UNSYNCED: WriteOptions = { durable: false }

/** The row of a response, if its account may see it. */
export const findVisible = (
  db: Db,
  values: { account_id: number; response_id: string; expired_by_ms: number },
): Awaitable<Row | undefined> => responseQueries(db).visible.get(values)

/** More than any conversation has. */
const ALL_ROWS = 1_000_000

/** The rows of a conversation from this one backwards, newest first. @param max_before the most predecessors to read */
export async function chainFrom(db: Db, row: Row, max_before = ALL_ROWS): Promise<Row[]> {
  if (row.previous === null) return [row]
  return [row, ...(await responseQueries(db).chain.all({ id: row.previous, row_limit: max_before }))]
}

/** Writes the row of a response. @returns false if its predecessor was deleted: the conversation would be incomplete */
export function insertRow(db: Db, kept: KeptResponse, columns: BodyColumns): Promise<boolean> {
  const { account_id, id, previous_id, created_at_ms } = kept
  return db.begin(async (tx) => {
    const { countLater, insert } = responseQueries(tx)
    // From here on the predecessor cannot be deleted.
    const previous: Row | undefined =
      previous_id === undefined ? undefined : await countLater.get({ account_id, response_id: previous_id })
    if (previous_id !== undefined && !previous) return false
    await insert.run({
      ...columns,
      account_id,
      response_id: id,
      previous: previous?.id ?? null,
      chain_bytes: columns.kept_bytes + (previous?.chain_bytes ?? 0),
      chain_length: 1 + (previous?.chain_length ?? 0),
      created_at_ms,
    })
    return true
  }, UNSYNCED)
}

/**
 * Deletes rows without continuations. With each, it deletes predecessors that were kept only for it: those that are marked deleted or
 * have expired. It skips rows that another gateway continues or deletes at the same time.
 * @param last the rows as they were read
 * @param stale_by_ms rows created at this time or earlier have expired
 * @returns all deleted rows
 */
export async function deleteLast(tx: Tx, last: readonly Row[], stale_by_ms: number): Promise<Row[]> {
  const deleted_rows: Row[] = []
  for (const row of last)
    for (let next = await removeRow(tx, row); next; next = await releasePrevious(tx, next, stale_by_ms))
      deleted_rows.push(next)
  return deleted_rows
}

/** @returns the row if it was deleted; undefined if it had changed since it was read */
const removeRow = async (tx: Tx, row: Row): Promise<Row | undefined> =>
  (await responseQueries(tx).deleteRow.get(row)) && row

/** Uncounts a deleted row at its predecessor. @returns the predecessor if that was deleted, too */
async function releasePrevious(
  tx: Tx,
  { previous }: Pick<Row, 'previous'>,
  stale_by_ms: number,
): Promise<Row | undefined> {
  if (previous === null) return undefined
  const { row, uncountLater } = responseQueries(tx)
  // Reads the row again if it changed in between.
  for (;;) {
    const before: Row | undefined = await row.get({ id: previous })
    if (!before) return undefined
    if (!isDeletedWithLast(before, stale_by_ms)) {
      if (await uncountLater.get(before)) return undefined
    } else if (await removeRow(tx, before)) return before
  }
}

/** @param row as it was before its continuation was deleted */
const isDeletedWithLast = ({ later, deleted, created_at_ms }: Row, stale_by_ms: number): boolean =>
  later === 1 && (deleted === 1 || created_at_ms <= stale_by_ms)

/**
 * Deletes the rows that a search finds, in a transaction.
 * @param find looks for rows without continuations; called again if another gateway deleted all of them
 * @returns the deleted rows; empty if nothing was found
 */
export async function deleteFound(tx: Tx, find: () => Awaitable<Row[]>, stale_by_ms: number): Promise<Row[]> {
  for (;;) {
    const last = await find()
    const deleted_rows = await deleteLast(tx, last, stale_by_ms)
    if (deleted_rows.length > 0 || last.length === 0) return deleted_rows
  }
}

const MAX_DELETED = 100

/** Deletes the oldest conversations of an account, a limited number in one transaction. @returns the deleted rows */
export const deleteSomeOf = (tx: Tx, account_id: number): Promise<Row[]> =>
  deleteFound(
    tx,
    () => responseQueries(tx).oldestLast.all({ account_id, row_limit: MAX_DELETED }),
    Number.MAX_SAFE_INTEGER,
  )

/** Deletes all responses of a closed account. @returns the deleted rows; the caller removes their files */
export async function deleteAllOf(db: Db, account_id: number): Promise<Row[]> {
  const deleted_rows: Row[] = []
  for (;;) {
    const some = await db.begin((tx) => deleteSomeOf(tx, account_id))
    if (some.length === 0) return deleted_rows
    deleted_rows.push(...some)
  }
}

/**
 * Deletes a response for its caller, in a transaction. If other responses continue it, the row is only marked deleted.
 * @returns the deleted rows; undefined if not found
 */
export async function deleteNamed(
  tx: Tx,
  named: Parameters<typeof findVisible>[1],
  stale_by_ms: number,
): Promise<Row[] | undefined> {
  // Reads the row again if it changed in between.
  for (;;) {
    const row = await findVisible(tx, named)
    if (!row) return undefined
    if (row.later > 0) {
      if (await responseQueries(tx).markDeleted.get(row)) return []
      continue
    }
    const deleted_rows = await deleteLast(tx, [row], stale_by_ms)
    if (deleted_rows.length > 0) return deleted_rows
  }
}
