// Prices of calls: stored once, named by number, and read the same wherever they are stored.
import type { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { listCalls } from '../../../plugins/calls/listing.ts'
import { hashPrice, storedPrices } from '../../../src/money/ledger/stored-prices.ts'
import { createWriter } from '../../../src/money/ledger/writer.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../../src/store/engines/sqlite/sqlite.ts'
import { onDisk } from './disk.ts'
import { brokenInvariants, hold, post, voided, world } from './world.ts'

const TOKENS = '{"unit":"token","above_tokens":0,"nanos_per_million_tokens":{"input_tokens":300}}'
const OTHER = '{"unit":"token","above_tokens":0,"nanos_per_million_tokens":{"input_tokens":301}}'
const units = (characters: number) =>
  `{"unit":"unit","nanos":{"per_million_characters":15},"units":{"characters":${characters}}}`

const pricesOf = (db: Database) =>
  db.query<{ json: string; sha256: Uint8Array }, []>('SELECT json, sha256 FROM prices ORDER BY id').all()
const rowsOf = (db: Database) =>
  db.query('SELECT price, price_id, counted FROM calls ORDER BY id').all() as object[]
async function readOf(db: Database): Promise<string[]> {
  const { rows } = await listCalls(dbOver(db), {}, { limit: 100 })
  return rows.map(({ price }) => price).reverse()
}

/** A ledger in which calls were charged at these prices, each in a batch of its own. */
function charged(texts: readonly string[]): Database {
  const db = world({ balance: 1_000_000 })
  const writer = createWriter(db)
  for (const [index, price] of texts.entries())
    writer.commit([hold(10), post(index + 1, price === '' ? 0 : 5, { price })])
  return db
}

describe('the price of a call', () => {
  test('is stored once for all calls that were charged at it, with its hash', async () => {
    const db = charged([TOKENS, TOKENS, OTHER, TOKENS])
    expect(rowsOf(db)).toMatchObject([1, 1, 2, 1].map((price_id) => ({ price: '', price_id, counted: '' })))
    expect(pricesOf(db).map(({ json }) => json)).toEqual([TOKENS, OTHER])
    for (const { json, sha256 } of pricesOf(db)) expect(sha256).toEqual(hashPrice(json))
    expect(await readOf(db)).toEqual([TOKENS, TOKENS, OTHER, TOKENS])
    expect(brokenInvariants(db)).toEqual([])
  })

  test('is absent for a call that was charged nothing', async () => {
    const db = world({ balance: 10 })
    createWriter(db).commit([hold(10), voided(1)])
    expect(rowsOf(db)).toEqual([{ price: '', price_id: null, counted: '' }])
    expect([await readOf(db), pricesOf(db)]).toEqual([[''], []])
  })

  test.each([
    ['units', units(7), units(900), { units: { characters: 7 } }],
    [
      'extras',
      `${TOKENS.slice(0, -1)},"extras":[{"name":"web_search","per":"unit","nanos":9,"units":2}]}`,
      TOKENS,
      { extras: [{ name: 'web_search', per: 'unit', nanos: 9, units: 2 }] },
    ],
    [
      'partial images',
      '{"unit":"image","per_image_nanos":9,"partial_images":2,"partial_image_nanos":1}',
      '{"unit":"image","per_image_nanos":9,"partial_images":3,"partial_image_nanos":1}',
      { partial_images: 2 },
    ],
  ])('keeps counts of a single call with that call: %s', async (_, text, other, counted) => {
    const db = charged([text, other, text])
    expect(pricesOf(db)).toHaveLength(1)
    expect(JSON.parse((rowsOf(db)[0] as { counted: string }).counted)).toEqual(counted)
    expect((await readOf(db)).map((price) => JSON.parse(price))).toEqual(
      [text, other, text].map((price) => JSON.parse(price)),
    )
  })

  test('is read as it was stored, for any price', async () => {
    const amount = fc.nat()
    const text = fc.oneof(
      fc.record({
        unit: fc.constant('unit'),
        nanos: fc.dictionary(fc.string(), amount),
        units: fc.dictionary(fc.string(), amount),
      }),
      fc.record({
        unit: fc.constant('token'),
        extras: fc.array(fc.record({ name: fc.string(), units: amount })),
      }),
      fc.record(
        { unit: fc.constant('image'), size: fc.string(), partial_images: amount },
        { requiredKeys: ['unit'] },
      ),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), async (prices) => {
        const db = charged(prices.map((price) => JSON.stringify(price)))
        expect((await readOf(db)).map((price) => JSON.parse(price))).toEqual(
          JSON.parse(JSON.stringify(prices)),
        )
        expect(brokenInvariants(db)).toEqual([])
        db.close()
      }),
      { numRuns: 50 },
    )
  })

  test('is found again by another writer, and after a rolled back batch', async () => {
    const db = charged([TOKENS])
    const writer = createWriter(db)
    writer.commit([hold(10), hold(10)])
    expect(() => writer.commit([post(2, 5, { price: OTHER, images: -1 })])).toThrow(/CHECK/)
    expect(pricesOf(db)).toHaveLength(1)
    writer.commit([post(2, 5, { price: OTHER }), post(3, 5, { price: TOKENS })])
    expect(await readOf(db)).toEqual([TOKENS, OTHER, TOKENS])
    expect(brokenInvariants(db)).toEqual([])
  })
})

test('two connections that meet the same price store it once', () =>
  onDisk({}, (path, db) => {
    const other = openDatabase(path)
    expect(storedPrices(db).store(TOKENS)).toEqual(storedPrices(other).store(TOKENS))
    expect(pricesOf(db)).toHaveLength(1)
    other.close()
  }))

test('each price is stored once, even if there are more than the writer remembers', () => {
  const db = world()
  const prices = storedPrices(db)
  const texts = Array.from({ length: 1_500 }, (_, index) => `{"unit":"token","above_tokens":${index}}`)
  const ids = texts.map((text) => prices.store(text).price_id)
  expect(texts.map((text) => prices.store(text).price_id)).toEqual(ids)
  expect(pricesOf(db)).toHaveLength(1_500)
})
