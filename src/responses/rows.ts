// The rows of kept responses: conversations as chains of rows, of which only the last ones can go.
import type { Awaitable, Db, Tx, Writing } from '../store/db.ts'
import type { BodyColumns } from '../store/kept/content.ts'
import type { ResponseRow } from '../store/schema.ts'
import type { KeptResponse } from './kept-responses.ts'
import { responseQueries } from './queries.ts'

export type Row = Omit<ResponseRow, 'body'>

/** A power cut may take the last responses, as it may not take what the ledger wrote. */
export const LOSABLE: Writing = { durable: false }

/** The row of a response, where its account may see it. */
export const findVisible = (
  db: Db,
  values: { account_id: number; response_id: string; expired_by_ms: number },
): Awaitable<Row | undefined> => responseQueries(db).visible.get(values)

/** More than any conversation has. */
const ALL_ROWS = 1_000_000

/** The rows of a conversation up to and with this one, the newest first. @param max_before of those before it */
export async function chainFrom(db: Db, row: Row, max_before = ALL_ROWS): Promise<Row[]> {
  if (row.previous === null) return [row]
  return [row, ...(await responseQueries(db).chain.all({ id: row.previous, row_limit: max_before }))]
}

/** Writes the row of a response. @returns false if the response that it continues is gone: it would say less than it was asked */
export function insertRow(db: Db, kept: KeptResponse, columns: BodyColumns): Promise<boolean> {
  const { account_id, id, previous_id, created_at_ms } = kept
  return db.begin(async (tx) => {
    const { countLater, insert } = responseQueries(tx)
    // It cannot go from then on.
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
  }, LOSABLE)
}

/**
 * Deletes rows that none continues, and with each those before it that were kept only for it: deleted ones, and ones past
 * their time. What another gateway continues or deletes at this moment is its.
 * @param last as they were read
 * @param gone_by_ms rows of this time or earlier are past it
 * @returns all that were deleted
 */
export async function deleteLast(tx: Tx, last: readonly Row[], gone_by_ms: number): Promise<Row[]> {
  const gone: Row[] = []
  for (const row of last)
    for (let next = await deleted(tx, row); next; next = await deletedBefore(tx, next, gone_by_ms))
      gone.push(next)
  return gone
}

/** @returns the row if it was deleted; undefined if it changed since it was read */
const deleted = async (tx: Tx, row: Row): Promise<Row | undefined> =>
  (await responseQueries(tx).deleteRow.get(row)) && row

/** Takes leave of a deleted row in the one that it continued. @returns that one if it went, too */
async function deletedBefore(
  tx: Tx,
  { previous }: Pick<Row, 'previous'>,
  gone_by_ms: number,
): Promise<Row | undefined> {
  if (previous === null) return undefined
  const { row, uncountLater } = responseQueries(tx)
  // Read again where it changed since it was read.
  for (;;) {
    const before: Row | undefined = await row.get({ id: previous })
    if (!before) return undefined
    if (!isDeletedWithLast(before, gone_by_ms)) {
      if (await uncountLater.get(before)) return undefined
    } else if (await deleted(tx, before)) return before
  }
}

/** @param row as it was when one response still continued it, or several */
const isDeletedWithLast = ({ later, deleted, created_at_ms }: Row, gone_by_ms: number): boolean =>
  later === 1 && (deleted === 1 || created_at_ms <= gone_by_ms)

/**
 * Deletes what is found, in a transaction.
 * @param find looks for rows that none continues; again where another gateway deleted all of them
 * @returns what went; empty if nothing was found
 */
export async function deleteFound(tx: Tx, find: () => Awaitable<Row[]>, gone_by_ms: number): Promise<Row[]> {
  for (;;) {
    const last = await find()
    const gone = await deleteLast(tx, last, gone_by_ms)
    if (gone.length > 0 || last.length === 0) return gone
  }
}

const MAX_DELETED = 100

/** Deletes some responses of an account, whole conversations first, in a transaction. @returns what went */
export const deleteSomeOf = (tx: Tx, account_id: number): Promise<Row[]> =>
  deleteFound(
    tx,
    () => responseQueries(tx).oldestLast.all({ account_id, row_limit: MAX_DELETED }),
    Number.MAX_SAFE_INTEGER,
  )

/** Deletes all responses of an account that is closed. @returns what went; its files are the caller's to remove */
export async function deleteAllOf(db: Db, account_id: number): Promise<Row[]> {
  const gone: Row[] = []
  for (;;) {
    const some = await db.begin((tx) => deleteSomeOf(tx, account_id))
    if (some.length === 0) return gone
    gone.push(...some)
  }
}

/**
 * Deletes a response for its caller, in a transaction: its row, or, where others continue it, that it is shown.
 * @returns what went; undefined if not found
 */
export async function deleteNamed(
  tx: Tx,
  named: Parameters<typeof findVisible>[1],
  gone_by_ms: number,
): Promise<Row[] | undefined> {
  // Read again where it changed since it was read.
  for (;;) {
    const row = await findVisible(tx, named)
    if (!row) return undefined
    if (row.later > 0) {
      if (await responseQueries(tx).markDeleted.get(row)) return []
      continue
    }
    const gone = await deleteLast(tx, [row], gone_by_ms)
    if (gone.length > 0) return gone
  }
}
