// One connection while it has a single user: nested transactions and snapshots join the running one.
import type { ActionContext } from '../../../domain/actions.ts'
import type { Awaitable, Orm, Statements, Tx, Values, WriteOptions } from '../../db.ts'

/** A connection's statements, which engines execute in different ways. */
export interface Session extends Statements, Pick<Tx, 'lock'> {}

/** A database within a transaction or a snapshot. */
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

  async begin<T>(work: (tx: Tx) => Awaitable<T>, { by }: WriteOptions = {}): Promise<T> {
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
