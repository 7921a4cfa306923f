// The mark of a transaction: a row that it leaves, by which is told whether it was carried out after the answer to its COMMIT was lost.
//
// Whoever looks for it leaves another one in its place, unless it is there. So one of the two comes first, and that is what became of the
// transaction: one that arrives later is refused. Its number would not tell. After a crash of the server a transaction whose last records
// were not on the disk yet is gone, and the server gives its number to another one.
import type { Connection, Marked, Statement } from './connection.ts'
import { oneStatement, type Part } from './one-statement.ts'

/** Above the numbers of all transactions: of a mark in whose place another one was left. */
const CLAIMED = 2 ** 40

const leaving = (number: string) => `
  INSERT INTO commits (writer, number, at_ms) VALUES ($1, ${number}, now_ms())
      ON CONFLICT (writer) DO UPDATE SET number = excluded.number, at_ms = excluded.at_ms
   WHERE commits.number < $2::bigint`

const LEAVE = `${leaving('$2::bigint')} RETURNING 1`
const CLAIM = leaving(`$2::bigint + ${CLAIMED}`)

/** The mark as a part of the last statement of a transaction before its COMMIT. */
export const markPart = ({ writer, number }: Marked): Part => ({
  name: 'marked',
  text: LEAVE,
  values: [writer, number],
  condition: '(SELECT count(*) FROM marked) = 1',
})

/** The last statement of a transaction before its COMMIT. */
export const markOf = (marked: Marked): Statement => oneStatement([markPart(marked)])

/**
 * Tells whether a transaction was carried out. If it was not, it never will be.
 *
 * @throws StorageFailure, also while it is under way
 */
export async function wasCommitted({ writer, number }: Marked, connection: Connection): Promise<boolean> {
  await connection.ask(CLAIM, [writer, number])
  const { rows } = await connection.ask('SELECT number FROM commits WHERE writer = $1', [writer])
  return rows.length > 0 && Number(rows[0]?.[0]) < CLAIMED
}
