// Accounts whose rows somebody else keeps locked: batches leave them alone, and they are batched again once they are free.
import { Connection } from '../../../store/engines/postgres/connection.ts'
import { isBusy } from '../../../store/engines/postgres/failure.ts'
import { atEnd } from '../../../utilities/at-end.ts'

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

  has(account_id: number): boolean {
    return this.#locked.has(account_id)
  }

  add(rows: readonly LockedRows[]): void {
    for (const row of rows) this.#locked.set(row.account_id, row)
    if (this.#locked.size > 0 && !this.#is_closed) this.#watching ??= this.#watch()
  }

  async close(): Promise<void> {
    this.#is_closed = true
    await this.#watching
  }

  /** Waits in line for each, one after the other: a lock that many want is never found free by a look at it. Others may be. */
  async #watch(): Promise<void> {
    let connection: Connection | undefined
    using _ = atEnd(() => {
      this.#watching = undefined
    })
    while (this.#locked.size > 0 && !this.#is_closed) {
      for (const { account_id } of [...this.#locked.values()]) {
        if (this.#is_closed) break
        try {
          if (!connection || connection.isLost) connection = await Connection.open(this.#url, SETTINGS)
          await this.#look(connection)
          const rows = this.#locked.get(account_id)
          if (rows) await connection.askAll(waitingFor(rows))
          this.#locked.delete(account_id)
        } catch (thrown) {
          if (isBusy(thrown)) continue
          // Dropped: why the server cannot be asked. The next batch says so, and finds out anew what is locked.
          await Bun.sleep(AGAIN_AFTER_MS)
          this.#locked.clear()
          break
        }
      }
    }
    // Dropped: it is of no more use, and the next one is opened anew.
    await connection?.close().catch(() => {})
  }

  /** Accounts that are free are batched again. */
  async #look(connection: Connection): Promise<void> {
    if (this.#locked.size <= 1) return
    const all = [...this.#locked.values()]
    const { rows } = await connection.ask(FREE_ACCOUNTS, [
      arrayOf(all.map(({ account_id }) => account_id)),
      arrayOf(all.flatMap(({ key_ids }) => key_ids)),
    ])
    for (const [account_id] of rows) this.#locked.delete(Number(account_id))
  }
}

const FREE_ACCOUNTS = `
  WITH free AS MATERIALIZED (SELECT id FROM accounts WHERE id = ANY($1::bigint[]) FOR NO KEY UPDATE SKIP LOCKED),
       free_keys AS MATERIALIZED (SELECT id FROM keys WHERE id = ANY($2::bigint[]) FOR NO KEY UPDATE SKIP LOCKED)
  SELECT id FROM free
   WHERE id NOT IN (SELECT account_id FROM keys WHERE id = ANY($2::bigint[]) AND id NOT IN (SELECT id FROM free_keys))`

const arrayOf = (ids: readonly number[]): string => `{${ids.join()}}`

const waitingFor = ({ account_id, key_ids }: LockedRows) => [
  { text: 'BEGIN' },
  { text: 'SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', values: [account_id] },
  {
    text: 'SELECT 1 FROM keys WHERE id = ANY($1::bigint[]) FOR NO KEY UPDATE',
    values: [arrayOf(key_ids)],
  },
  { text: 'ROLLBACK' },
]
