// A separate connection for urgent work, which waits neither for other work nor long for a server that stopped responding.
import { createSlots } from '../../../utilities/slots.ts'
import type { Statements } from '../../db.ts'
import { Connection } from './connection.ts'
import { sessionOf } from './one-connection.ts'

export class QuickConnection {
  readonly #url: string
  readonly #within_ms: number
  readonly #oneAtATime = createSlots(1)
  #connection: Connection | undefined

  /** @param within_ms the time to connect, and for the answer to each statement; after it the connection is lost */
  constructor(url: string, within_ms: number) {
    this.#url = url
    this.#within_ms = within_ms
  }

  /**
   * Runs work on the connection. It connects first if necessary, so that `work` takes no longer than its statements.
   *
   * @throws StorageFailure; as `work`. It is unknown then whether its last statement was executed
   */
  use<T>(work: (db: Statements) => Promise<T>): Promise<T> {
    return this.#oneAtATime(async () => {
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
