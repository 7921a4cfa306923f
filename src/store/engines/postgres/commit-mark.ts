// The mark of a transaction: a row that it leaves, by which is told whether it was carried out after the answer to its COMMIT was lost.
//
// Its number alone does not tell. After a crash of the server a transaction whose last records were not on the disk yet is gone, and the
// server gives its number to another one: `pg_xact_status` then says of both what became of the other.
import type { Connection, Marked, Statement } from './connection.ts'
import { StatementError } from './failure.ts'

const LEAVE = `INSERT INTO commits (writer, number, at_ms) VALUES ($1, $2, now_ms())
  ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at_ms = excluded.at_ms`

/** The last statement of a transaction before its COMMIT. */
export const markOf = ({ writer, number }: Marked): Statement => ({ text: LEAVE, values: [writer, number] })

/** A standby that has a commit on its disk may not show it yet: what it lacks tells nothing, until it has taken over. */
const STATUS =
  "SELECT CASE WHEN pg_is_in_recovery() THEN 'in progress' ELSE pg_xact_status($1::text::xid8) END"

/** @returns undefined while it may still be under way, or cannot be told @throws StorageFailure */
export async function wasCommitted(marked: Marked, connection: Connection): Promise<boolean | undefined> {
  if ((await statusOf(marked, connection)) === 'in progress') return undefined
  const { rows } = await connection.ask('SELECT number FROM commits WHERE writer = $1', [marked.writer])
  return rows.length > 0 && Number(rows[0]?.[0]) >= marked.number
}

async function statusOf({ transaction_id }: Marked, connection: Connection): Promise<unknown> {
  try {
    const { rows } = await connection.ask(STATUS, [transaction_id])
    return rows[0]?.[0]
  } catch (thrown) {
    // It was not given to any transaction since the server crashed, or another server took over: the mark tells all the same.
    if (thrown instanceof StatementError) return 'in the future'
    throw thrown
  }
}
