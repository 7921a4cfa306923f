// A connection of its own for what must not wait: neither behind other work, nor for a server that went away without a word.
import { createSlots } from '../../../utilities/slots.ts'
import type { Statements } from '../../db.ts'
import { Connection } from './connection.ts'
import { sessionOf } from './one-connection.ts'

export class QuickConnection {
  readonly #url: string
  readonly #within_ms: number
  readonly #inTurn = createSlots(1)
  #connection: Connection | undefined

  /** @param within_ms for connecting, and for the answer to each statement: without it the connection is lost */
  constructor(url: string, within_ms: number) {
    this.#url = url
    this.#within_ms = within_ms
  }

  /**
   * Connects first where that is to be done, so that `work` takes no longer than its statements do.
   *
   * @throws StorageFailure; what `work` throws. Whether its last statement was carried out is not known then
   */
  use<T>(work: (db: Statements) => Promise<T>): Promise<T> {
    return this.#inTurn(async () => {
      if (!this.#connection || this.#connection.isLost) this.#connection = await this.#open()
      return await work(sessionOf(this.#connection))
    })
  }

  async close(): Promise<void> {
    await this.#connection?.close()
  }

  #open(): Promise<Connection> {
    return Connection.open(this.#url, {}, this.#within_ms, this.#within_ms)
  }
}
