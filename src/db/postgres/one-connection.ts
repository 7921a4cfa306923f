// One connection to PostgreSQL, for whoever has it to themselves at the moment: what is done by it belongs together.
import type { By } from '../../domain/actions.ts'
import type { Awaitable, Db, Orm, Values, Writing } from '../db.ts'
import type { Connection } from './connection.ts'
import { statementOf } from './texts.ts'

/** Within a transaction what is begun here joins it. */
export class OneConnection implements Db {
  readonly by: By | undefined
  readonly #connection: Connection

  constructor(connection: Connection, by: By | undefined) {
    this.#connection = connection
    this.by = by
  }

  get orm(): Orm {
    return this.#connection.orm
  }

  rows<Row>(text: string, values: Values = {}): Promise<Row[]> {
    return rowsBy<Row>(this.#connection, text, values)
  }

  async write<T>(work: (db: Db) => Awaitable<T>, { by }: Writing = {}): Promise<T> {
    return await work(this.#actingFor(by))
  }

  async begin<T>(work: (tx: Db) => Awaitable<T>, { by }: Writing = {}): Promise<T> {
    return await work(this.#actingFor(by))
  }

  async snapshot<T>(work: (db: Db) => Awaitable<T>): Promise<T> {
    return await work(this)
  }

  close(): Promise<void> {
    throw new Error('A connection is closed by what opened it.')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #actingFor(by: By | undefined): OneConnection {
    return by ? new OneConnection(this.#connection, by) : this
  }
}

/** Reads by a text with `$name` parameters. @returns objects by the names of the columns */
export async function rowsBy<Row>(connection: Connection, text: string, values: Values): Promise<Row[]> {
  const statement = statementOf(text, values)
  const { columns, rows } = await connection.ask(statement.text, statement.values)
  return rows.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])) as Row)
}
