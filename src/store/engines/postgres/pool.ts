// A pool of a few connections, each lent to one piece of work at a time; further work waits in a queue.
import type { Connection } from './connection.ts'

export class Pool {
  readonly #open: () => Promise<Connection>
  readonly #idle: Connection[] = []
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(open: () => Promise<Connection>, max: number) {
    this.#open = open
    this.#free = max
  }

  /** @throws StorageFailure if none can be opened; as `work` */
  async lend<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      const connection = this.#unused() ?? (await this.#open())
      try {
        return await work(connection)
      } finally {
        if (!connection.isLost) this.#idle.push(connection)
      }
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free += 1
    }
  }

  /** Closes the pool, when no connection is lent any more. */
  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()))
  }

  /** Returns the connection that was used last: a proxy may have closed the others. */
  #unused(): Connection | undefined {
    for (let found = this.#idle.pop(); found; found = this.#idle.pop()) if (!found.isLost) return found
    return undefined
  }
}
