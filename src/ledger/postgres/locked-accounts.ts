// Accounts whose rows somebody else keeps locked: no batch waits for them, and they are batched again once they are free.
import { Connection } from '../../db/postgres/connection.ts'
import { isBusy } from '../../db/postgres/failure.ts'
import { atEnd } from '../../utilities/at-end.ts'

/** Rows of an account that were locked. */
export interface LockedRows {
  account_id: number
  /** Of its keys. */
  key_ids: readonly number[]
}

/** In line with the batches of other gateways, which take it a few milliseconds each. */
const SETTINGS = { lock_timeout: '500ms' }
const AGAIN_AFTER_MS = 250

/** Empty but while somebody holds a lock for long. */
export class LockedAccounts {
  readonly #url: string
  readonly #locked = new Map<number, LockedRows>()
  #watching: Promise<void> | undefined
  #is_closed = false

  /** @param url as of `openPostgres` */
  constructor(url: string) {
    this.#url = url
  }

  get ids(): readonly number[] {
    return [...this.#locked.keys()]
  }

  add(rows: readonly LockedRows[]): void {
    for (const row of rows) this.#locked.set(row.account_id, row)
    if (this.#locked.size > 0 && !this.#is_closed) this.#watching ??= this.#watch()
  }

  async close(): Promise<void> {
    this.#is_closed = true
    await this.#watching
  }

  /** Waits in line for each, one after the other: a lock that many want is never found free by a look at it. */
  async #watch(): Promise<void> {
    let connection: Connection | undefined
    using _ = atEnd(() => {
      this.#watching = undefined
    })
    while (this.#locked.size > 0 && !this.#is_closed) {
      for (const rows of [...this.#locked.values()]) {
        if (this.#is_closed) break
        try {
          if (!connection || connection.isLost) connection = await Connection.open(this.#url, SETTINGS)
          await connection.askAll(waitingFor(rows))
          this.#locked.delete(rows.account_id)
        } catch (thrown) {
          // Dropped: why the server cannot be asked. The next batch says so.
          if (!isBusy(thrown)) await Bun.sleep(AGAIN_AFTER_MS)
        }
      }
    }
    // Dropped: it is of no more use, and the next one is opened anew.
    await connection?.close().catch(() => {})
  }
}

const waitingFor = ({ account_id, key_ids }: LockedRows) => [
  { text: 'BEGIN' },
  { text: 'SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', values: [account_id] },
  {
    text: 'SELECT 1 FROM keys WHERE id = ANY($1::bigint[]) FOR NO KEY UPDATE',
    values: [`{${key_ids.join()}}`],
  },
  { text: 'ROLLBACK' },
]
