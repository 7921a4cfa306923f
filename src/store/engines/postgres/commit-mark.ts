// The mark of a transaction: a row that it writes, which shows whether it was committed if the answer to its COMMIT was lost.
//
// A check for the mark writes another mark in its place, unless it is already there. So one of the two comes first and decides the
// outcome: a transaction that arrives later is refused. The transaction's number would not do: after a crash of the server, a transaction
// whose last records were not on the disk is lost, and the server assigns its number again.
import type { CommitMark, Connection, Statement } from './connection.ts'
import { oneStatement, type Part } from './one-statement.ts'

/** Added to the number in a mark that a check writes, to be above the numbers of all transactions. */
const CLAIMED = 2 ** 40

const leaving = (number: string) => `
  INSERT INTO commits (writer, number, at_ms) VALUES ($1, ${number}, now_ms())
      ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at_ms = excluded.at_ms
   WHERE commits.number < $2::bigint`

const LEAVE = `${leaving('$2::bigint')} RETURNING 1`
const CLAIM = leaving(`$2::bigint + ${CLAIMED}`)

/** Returns the mark as a part of the last statement before a transaction's COMMIT. */
export const markPart = ({ writer, number }: CommitMark): Part => ({
  name: 'marked',
  text: LEAVE,
  values: [writer, number],
  condition: '(SELECT count(*) FROM marked) = 1',
})

/** Returns the mark as the last statement before a transaction's COMMIT. */
export const markOf = (mark: CommitMark): Statement => oneStatement([markPart(mark)])

/**
 * Returns whether a transaction was committed. If it was not, it never will be.
 *
 * @throws StorageFailure, also while the transaction is running
 */
export async function wasCommitted({ writer, number }: CommitMark, connection: Connection): Promise<boolean> {
  await connection.ask(CLAIM, [writer, number])
  const { rows } = await connection.ask('SELECT number FROM commits WHERE writer = $1', [writer])
  return rows.length > 0 && Number(rows[0]?.[0]) < CLAIMED
}
