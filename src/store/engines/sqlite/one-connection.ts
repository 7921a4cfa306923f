// One connection, for whoever has it to themselves at the moment: what is begun by it joins what was begun on it.
import type { ActionContext } from '../../../domain/actions.ts'
import type { Awaitable, Orm, Statements, Tx, Values, Writing } from '../../db.ts'

/** Engines differ in how they carry out statements. */
export interface Session extends Statements, Pick<Tx, 'lock'> {}

/** Within a transaction, or while reading as of one moment. */
export class OneConnection implements Tx {
  readonly by: ActionContext | undefined
  readonly #session: Session

  constructor(session: Session, by: ActionContext | undefined) {
    this.#session = session
    this.by = by
  }

  get orm(): Orm {
    return this.#session.orm
  }

  rows<Row>(text: string, values?: Values): Awaitable<Row[]> {
    return this.#session.rows<Row>(text, values)
  }

  lock(account_id: number | null): Awaitable<void> {
    return this.#session.lock(account_id)
  }

  async write<T>(work: (db: Statements) => Awaitable<T>): Promise<T> {
    return await work(this)
  }

  async begin<T>(work: (tx: Tx) => Awaitable<T>, { by }: Writing = {}): Promise<T> {
    return await work(by ? new OneConnection(this.#session, by) : this)
  }

  async snapshot<T>(work: (db: Tx) => Awaitable<T>): Promise<T> {
    return await work(this)
  }

  close(): Promise<void> {
    throw new Error('A connection is closed by what opened it.')
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}
