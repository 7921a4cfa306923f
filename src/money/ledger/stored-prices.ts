// The table of prices: each price that calls were charged at is stored once, and a call names it by number.
import type { Database } from 'bun:sqlite'
import { sql } from 'drizzle-orm'
import type { Call } from '../../store/schema.ts'

/** A call's price as its row has it. */
export type StoredPrice = Pick<Call, 'price' | 'price_id' | 'counted'>

export interface StoredPrices {
  /**
   * Stores a price unless it is stored. Only in a transaction; after one that was rolled back, `forget`.
   *
   * @param text what a call was charged at, with what was counted for it alone (`Charge.snapshot`); empty if nothing was
   */
  store(text: string): StoredPrice
  /** Forgets which prices are stored. */
  forget(): void
}

/** More prices than a catalogue has; when there are more, they are looked up anew. */
const MAX_KNOWN_PRICES = 1_000

/** The prices of a connection. A call whose price is known costs one look into a map. */
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
 * @param text as of `StoredPrices.store`
 * @param known prices with their numbers
 * @param idOf the number of one that is not among them
 */
export function storedPrice(
  text: string,
  known: ReadonlyMap<string, number>,
  idOf: (json: string) => number,
): StoredPrice {
  if (text === '') return { price: '', price_id: null, counted: '' }
  const id = known.get(text)
  if (id !== undefined) return { price: '', price_id: id, counted: '' }
  const { json, counted } = takeApart(text)
  return { price: '', price_id: idOf(json), counted }
}

/** @returns the SHA-256 by which a price is found */
export const hashPrice = (json: string): Uint8Array => new Bun.CryptoHasher('sha256').update(json).digest()

/** The part of a price's text that belongs to one call alone (`chargeUnits`, `chargeTokens`, `chargeImages`, `chargeImageTokens`). */
const COUNTED = ['units', 'extras', 'partial_images', 'image_tokens']

/** The price that many calls share, and what was counted for this one; both as JSON, the latter empty if that is nothing. */
export function takeApart(text: string): { json: string; counted: string } {
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
 * In SQL over `calls`: the text that `store` was given, up to the order of its fields, whether the row has it in the table or
 * still to itself.
 */
export const PRICE_OF_CALL_SQL = `CASE WHEN price_id IS NULL THEN price ELSE
  (SELECT CASE WHEN counted = '' THEN json ELSE json_patch(json, counted) END FROM prices WHERE prices.id = price_id) END`

export const PRICE_OF_CALL = sql<string>`${sql.raw(PRICE_OF_CALL_SQL)}`
