// The rows of kept responses: conversations as chains of rows, of which only the last ones can go.
import type { Database } from 'bun:sqlite'
import type { ResponseRow } from '../db/schema.ts'
import { immediately } from '../db/transaction.ts'
import type { BodyColumns } from '../kept/content.ts'
import type { KeptResponse } from './kept-responses.ts'
import { responseQueries } from './queries.ts'

export type Row = Omit<ResponseRow, 'body'>

/** The row of a response, where its account may see it. */
export const findShown = (
  db: Database,
  values: { account_id: number; response_id: string; expired_by_ms: number },
): Row | undefined => responseQueries(db).shown.get(values)

/** The rows of a conversation up to and with this one, the newest first. */
export function* chainFrom(db: Database, row: Row): Generator<Row> {
  const queries = responseQueries(db)
  for (let next: Row | undefined = row; next; ) {
    yield next
    next = next.previous === null ? undefined : queries.row.get({ id: next.previous })
  }
}

/**
 * Writes the row of a response.
 *
 * @returns false if the response that it continues is gone: it would say less than it was asked
 */
export function insertRow(db: Database, kept: KeptResponse, columns: BodyColumns): boolean {
  const { account_id, id, previous_id, created_at_ms } = kept
  const queries = responseQueries(db)
  return immediately(db, () => {
    const previous =
      previous_id === undefined ? undefined : queries.named.get({ account_id, response_id: previous_id })
    if (previous_id !== undefined && !previous) return false
    queries.insert.run({
      ...columns,
      account_id,
      response_id: id,
      previous: previous?.id ?? null,
      chain_bytes: columns.kept_bytes + (previous?.chain_bytes ?? 0),
      chain_length: 1 + (previous?.chain_length ?? 0),
      created_at_ms,
    })
    if (previous) queries.countLater.run({ id: previous.id })
    return true
  })
}

/**
 * Deletes rows that none continues, and with each those before it that were kept only for it: deleted ones, and ones past
 * their time. In a transaction of the caller's.
 *
 * @param gone_by_ms rows of this time or earlier are past it
 * @returns all that were deleted
 */
export function deleteLast(db: Database, last: readonly Row[], gone_by_ms: number): Row[] {
  const queries = responseQueries(db)
  const gone: Row[] = []
  for (const row of last)
    for (let next: Row | undefined = row; next; ) {
      queries.deleteRow.run({ id: next.id })
      gone.push(next)
      const before: Row | undefined =
        next.previous === null ? undefined : queries.row.get({ id: next.previous })
      if (before) queries.uncountLater.run({ id: before.id })
      next = before && goesWithLast(before, gone_by_ms) ? before : undefined
    }
  return gone
}

const MAX_DELETED = 100

/** Deletes some responses of an account, whole conversations first. In a transaction of the caller's. @returns what went */
export const deleteSomeOf = (db: Database, account_id: number): Row[] =>
  deleteLast(
    db,
    responseQueries(db).oldestLast.all({ account_id, row_limit: MAX_DELETED }),
    Number.MAX_SAFE_INTEGER,
  )

/** Deletes all responses of an account that is closed. @returns what went; its files are the caller's to remove */
export function deleteAllOf(db: Database, account_id: number): Row[] {
  const gone: Row[] = []
  for (;;) {
    const some = immediately(db, () => deleteSomeOf(db, account_id))
    if (some.length === 0) return gone
    gone.push(...some)
  }
}

/** @param row as it was when one response still continued it, or several */
const goesWithLast = ({ later, deleted, created_at_ms }: Row, gone_by_ms: number): boolean =>
  later === 1 && (deleted === 1 || created_at_ms <= gone_by_ms)

/** Deletes a response for its caller: its row, or, where others continue it, that it is shown. @returns what went */
export function deleteNamed(db: Database, row: Row, gone_by_ms: number): Row[] {
  if (row.later === 0) return deleteLast(db, [row], gone_by_ms)
  responseQueries(db).markDeleted.run({ id: row.id })
  return []
}
