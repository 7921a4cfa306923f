// A few connections that are lent, each to one piece of work at a time; who comes when all are lent waits in line.
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

  /** @throws StorageFailure where none can be opened; what `work` throws */
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

  /** Once nothing is lent any more. */
  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((connection) => connection.close()))
  }

  /** The one that was used last: the others may be closed by whatever is between. */
  #unused(): Connection | undefined {
    for (let found = this.#idle.pop(); found; found = this.#idle.pop()) if (!found.isLost) return found
    return undefined
  }
}
