// The table of prices: each charged price is stored once, and calls refer to it by number.
import type { Database } from 'bun:sqlite'
import { sql } from 'drizzle-orm'
import type { Call } from '../../store/schema.ts'

/** A call's price in the form of its row. */
export type StoredPrice = Pick<Call, 'price' | 'price_id' | 'counted'>

export interface StoredPrices {
  /**
   * Stores a price unless it is already stored. Only in a transaction; call `forget` after a rollback.
   *
   * @param text the price of a call and the counts of that call alone (`Charge.snapshot`); empty if nothing was charged
   */
  store(text: string): StoredPrice
  /** Forgets which prices are stored. */
  forget(): void
}

/** More prices than a catalogue has. Beyond it all are dropped and looked up again. */
const MAX_KNOWN_PRICES = 1_000

/** Opens the prices of a connection. For a known price, a call costs one lookup in a map. */
export function storedPrices(db: Database): StoredPrices {
  const find = db.prepare<{ id: number }, [Uint8Array]>('SELECT id FROM prices WHERE sha256 = ?')
  const insert = db.prepare<{ id: number }, [Uint8Array, string]>(
    'INSERT INTO prices (sha256, json) VALUES (?, ?) RETURNING id',
  )
  const known = new Map<string, number>()

  const idOf = (json: string): number => {
    const id = known.get(json)
    if (id !== undefined) return id
    const sha256 = hashPrice(json)
    const stored = find.get(sha256) ?? insert.get(sha256, json)
    if (!stored) throw new Error('a price was not stored')
    if (known.size >= MAX_KNOWN_PRICES) known.clear()
    known.set(json, stored.id)
    return stored.id
  }

  return {
    store(text) {
      return storedPrice(text, known, idOf)
    },
    forget: () => known.clear(),
  }
}

/**
 * @param text as for `StoredPrices.store`
 * @param known prices with their numbers
 * @param idOf returns the number of a price that is not known
 */
export function storedPrice(
  text: string,
  known: ReadonlyMap<string, number>,
  idOf: (json: string) => number,
): StoredPrice {
  if (text === '') return { price: '', price_id: null, counted: '' }
  const id = known.get(text)
  if (id !== undefined) return { price: '', price_id: id, counted: '' }
  const { json, counted } = splitPrice(text)
  return { price: '', price_id: idOf(json), counted }
}

/** @returns the SHA-256 that identifies a price */
export const hashPrice = (json: string): Uint8Array => new Bun.CryptoHasher('sha256').update(json).digest()

/** The fields of a price's text that belong to one call (`chargeUnits`, `chargeTokens`, `chargeImages`, `chargeImageTokens`). */
const COUNTED = ['units', 'extras', 'partial_images', 'image_tokens']

/** Splits a text into the price that many calls share, and the counts of this call; both as JSON, the latter empty without counts. */
export function splitPrice(text: string): { json: string; counted: string } {
  const fields = Object.entries(JSON.parse(text))
  const own = fields.filter(([name]) => COUNTED.includes(name))
  if (own.length === 0) return { json: text, counted: '' }
  const shared = fields.filter(([name]) => !COUNTED.includes(name))
  return {
    json: JSON.stringify(Object.fromEntries(shared)),
    counted: JSON.stringify(Object.fromEntries(own)),
  }
}

/**
 * SQL over `calls` for the text that was given to `store`, except for the order of its fields, whether it is in the table or
 * still in the call's row.
 */
export const PRICE_OF_CALL_SQL = `CASE WHEN price_id IS NULL THEN price ELSE
  (SELECT CASE WHEN counted = '' THEN json ELSE json_patch(json, counted) END FROM prices WHERE prices.id = price_id) END`

export const PRICE_OF_CALL = sql<string>`${sql.raw(PRICE_OF_CALL_SQL)}`
