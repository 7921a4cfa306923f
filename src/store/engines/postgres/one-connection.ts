// One connection to PostgreSQL: its statements, and the locks of a transaction on it.
import type { Values } from '../../db.ts'
import type { Session } from '../sqlite/one-connection.ts'
import type { Answer, Connection } from './connection.ts'
import { LOCKS } from './lock-numbers.ts'
import { statementOf } from './texts.ts'

/** The same lock as the ledger's. Rows that only refer to the account can still be written. */
const LOCK_ACCOUNT = 'SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE'

const LOCK_OPERATOR = `SELECT pg_advisory_xact_lock(${LOCKS.operator})`

/** @param awaited accounts whose locks a transaction waits for. A second one fails at once, so that a locked row blocks one connection, not all */
export const sessionOf = (connection: Connection, awaited = new Set<number>()): Session => ({
  orm: connection.orm,
  rows: <Row>(text: string, values: Values = {}) => rowsBy<Row>(connection, text, values),
  async lock(account_id) {
    if (account_id === null) return void (await connection.ask(LOCK_OPERATOR))
    if (awaited.has(account_id)) return void (await connection.ask(`${LOCK_ACCOUNT} NOWAIT`, [account_id]))
    awaited.add(account_id)
    try {
      await connection.ask(LOCK_ACCOUNT, [account_id])
    } finally {
      awaited.delete(account_id)
    }
  },
})

/** Reads with an SQL text with `$name` parameters. @returns objects by column names */
export async function rowsBy<Row>(connection: Connection, text: string, values: Values): Promise<Row[]> {
  const statement = statementOf(text, values)
  return objectsOf<Row>(await connection.ask(statement.text, statement.values))
}

/** Converts the rows of an answer to objects by column names. */
export const objectsOf = <Row>({ columns, rows }: Answer): Row[] =>
  rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])) as Row)
