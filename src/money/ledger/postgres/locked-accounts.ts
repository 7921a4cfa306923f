// Accounts whose rows others keep locked: batches skip their operations, which are retried once the locks are free.
import { Connection } from '../../../store/engines/postgres/connection.ts'
import { isBusy } from '../../../store/engines/postgres/failure.ts'
import { atEnd } from '../../../utilities/at-end.ts'

/** Locked rows of an account. */
export interface LockedRows {
  account_id: number
  /** Its locked keys. */
  key_ids: readonly number[]
}

/** How long it queues for a lock behind the batches of other gateways, which each take a few milliseconds. */
const SETTINGS = { lock_timeout: '500ms' }
const AGAIN_AFTER_MS = 250

/** Empty unless another transaction holds a lock for long. */
export class LockedAccounts {
  readonly #url: string
  readonly #locked = new Map<number, LockedRows>()
  #watching: Promise<void> | undefined
  #is_closed = false

  /** @param url as for `openPostgres` */
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

  /** Queues for each lock, one after the other: a contended lock is never found free by a check. Others may be found free. */
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
          if (rows) await connection.askAll(lockStatements(rows))
          this.#locked.delete(account_id)
        } catch (thrown) {
          if (isBusy(thrown)) continue
          // The error is ignored: the next batch reports an unreachable server, and finds the locked accounts again.
          await Bun.sleep(AGAIN_AFTER_MS)
          this.#locked.clear()
          break
        }
      }
    }
    // A failure is ignored: this connection is no longer needed, and the next is opened anew.
    await connection?.close().catch(() => {})
  }

  /** Removes the accounts that are free again. */
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

const lockStatements = ({ account_id, key_ids }: LockedRows) => [
  { text: 'BEGIN' },
  { text: 'SELECT 1 FROM accounts WHERE id = $1 FOR NO KEY UPDATE', values: [account_id] },
  {
    text: 'SELECT 1 FROM keys WHERE id = ANY($1::bigint[]) FOR NO KEY UPDATE',
    values: [arrayOf(key_ids)],
  },
  { text: 'ROLLBACK' },
]
