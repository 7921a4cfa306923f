// The prices of calls on PostgreSQL, which many gateways store: each once, before the batch that needs it.
import type { Connection } from '../../../store/engines/postgres/connection.ts'
import { objectsOf } from '../../../store/engines/postgres/one-connection.ts'
import { jsonOf } from '../../../store/engines/postgres/values.ts'
import type { Operation } from '../operations.ts'
import { hashPrice, type StoredPrice, splitPrice, storedPrice } from '../stored-prices.ts'

/** More prices than a catalogue has. Beyond it all are dropped and looked up again. */
const MAX_KNOWN_PRICES = 1_000

export class SharedPrices {
  /** The prices' numbers, which never change. */
  readonly #known = new Map<string, number>()

  /**
   * Stores the batch's prices that are not known yet. This happens outside of the batch's transaction: two batches with the same new price
   * would wait for each other.
   *
   * @throws as `Connection.askAll`; SyntaxError for a price that is not JSON
   */
  async store(
    connection: Connection,
    operations: readonly Operation[],
    within_ms: () => number,
  ): Promise<void> {
    let lacking = this.#lackingOf(operations)
    if (lacking.length === 0) return
    if (this.#known.size + lacking.length > MAX_KNOWN_PRICES) {
      this.#known.clear()
      lacking = this.#lackingOf(operations)
    }
    const missing_prices = lacking.map((json) => ({ json, sha256: hashPrice(json).toHex() }))
    // In a fixed order, so that two gateways cannot deadlock.
    const values = [jsonOf(missing_prices.toSorted((a, b) => (a.sha256 < b.sha256 ? -1 : 1)))]
    const [, found] = await connection.askAll(
      [
        { text: INSERT, values },
        { text: FIND, values },
      ],
      within_ms(),
    )
    for (const { id, sha256 } of found ? objectsOf<{ id: number; sha256: string }>(found) : []) {
      const price = missing_prices.find((one) => one.sha256 === sha256)
      if (price) this.#known.set(price.json, id)
    }
  }

  /** @throws Error if it was not stored */
  rowOf(text: string): StoredPrice {
    return storedPrice(text, this.#known, (json) => {
      const id = this.#known.get(json)
      if (id === undefined) throw new Error('a price was not stored')
      return id
    })
  }

  #lackingOf(operations: readonly Operation[]): string[] {
    const lacking = new Set<string>()
    for (const operation of operations) {
      const text = 'call' in operation ? operation.call.price : ''
      if (text === '' || this.#known.has(text)) continue
      const { json } = splitPrice(text)
      if (!this.#known.has(json)) lacking.add(json)
    }
    return [...lacking]
  }
}

const MISSING_PRICES = `SELECT decode(sha256, 'hex') AS sha256, json FROM json_to_recordset($1::text::json) AS missing (sha256 text, json text)`
const INSERT = `INSERT INTO prices (sha256, json) ${MISSING_PRICES} ON CONFLICT (sha256) DO NOTHING`
const FIND = `SELECT prices.id, encode(prices.sha256, 'hex') AS sha256 FROM prices JOIN (${MISSING_PRICES}) AS missing USING (sha256)`
