// Rewriting of recorded calls in a smaller form: some at a time, in the order of their ids, while the gateway serves.
//
// If a SQLite row only shrinks, it leaves a gap in its page that is never filled, since calls are added at the end. So the rows of a step
// are deleted and inserted again: their pages become free for later writes. A PostgreSQL server itself writes a changed row anew, and
// others may change it at the same time, so only the shrinking columns are written there.
import { getTableColumns } from 'drizzle-orm'
import type { Db } from '../../store/db.ts'
import { equals, placeholders, rawPlaceholders } from '../../store/placeholders.ts'
import { perConnection } from '../../store/prepared.ts'
import { type Call, call_rewrites, calls, prices } from '../../store/schema.ts'
import { hashPrice, type StoredPrice, splitPrice } from './stored-prices.ts'

/** `prices` moves the prices that an older version stored with each call into their table; `traces` empties old traces. */
export type RewriteName = 'prices' | 'traces'

interface RewriteOptions {
  max_calls: number
  /** Leaves later calls unchanged. */
  began_before_ms: number
  /** Called at the start of the transaction, and again if that is repeated. */
  onBegin?: () => void
}

export interface RewriteStep {
  /** 0 if nothing is left to do. */
  looked_at: number
  rewritten: number
}

const rewriteQueries = perConnection({
  progress: (orm) => orm.select().from(call_rewrites).where(equals(call_rewrites.name, 'name')),
  advance: (orm) =>
    orm.update(call_rewrites).set(rawPlaceholders('done_id')).where(equals(call_rewrites.name, 'name')),
  prices: (orm) =>
    orm
      .update(calls)
      .set(rawPlaceholders('price', 'price_id', 'counted'))
      .where(equals(calls.id, 'id')),
  traces: (orm) => orm.update(calls).set(rawPlaceholders('trace')).where(equals(calls.id, 'id')),
  findPrice: (orm) => orm.select({ id: prices.id }).from(prices).where(equals(prices.sha256, 'sha256')),
  // Another gateway may store the same price at the same time.
  insertPrice: (orm) => orm.insert(prices).values(placeholders('sha256', 'json')).onConflictDoNothing(),
})

// SQL text: for whole rows Drizzle takes as long as everything else together.
const NEXT = 'SELECT * FROM calls WHERE id > $done_id AND id <= $last_id ORDER BY id LIMIT $row_limit'
const REMOVE = 'DELETE FROM calls WHERE id BETWEEN $first_id AND $last_id'
const COLUMNS = Object.keys(getTableColumns(calls))
const INSERT = `INSERT INTO calls (${COLUMNS.join()}) VALUES (${COLUMNS.map((name) => `$${name}`).join()})`

/**
 * Checks the next calls in one transaction. If the process dies in it, nothing has changed, and the next process continues after the
 * last step. Steps lost in a power cut are repeated.
 *
 * @throws StorageFailure; nothing was changed then
 */
export const rewriteCalls = (
  db: Db,
  name: RewriteName,
  { max_calls, began_before_ms, onBegin = () => {} }: RewriteOptions,
): Promise<RewriteStep> =>
  db.begin(
    async (tx) => {
      onBegin()
      const found = await nextCalls(tx, name, max_calls)
      // Calls begin in the order of their ids, except for milliseconds.
      const young = found.findIndex(({ started_at_ms }) => started_at_ms >= began_before_ms)
      const next = young < 0 ? found : found.slice(0, young)
      const last = next.at(-1)
      if (!last) return { looked_at: 0, rewritten: 0 }
      const changed = await CHANGES[name](tx, next)
      if (changed.length > 0) await (db.file ? moveRows(tx, next) : changeRows(tx, name, changed))
      await rewriteQueries(tx).advance.run({ name, done_id: last.id })
      return { looked_at: next.length, rewritten: changed.length }
    },
    { durable: false },
  )

async function nextCalls(tx: Db, name: RewriteName, row_limit: number): Promise<Call[]> {
  const { done_id = 0, last_id = null } = (await rewriteQueries(tx).progress.get({ name })) ?? {}
  return await tx.rows<Call>(NEXT, { done_id, last_id: last_id ?? Number.MAX_SAFE_INTEGER, row_limit })
}

/** @param next all calls with ids between the first and the last of them */
async function moveRows(tx: Db, next: readonly Call[]): Promise<void> {
  await tx.rows(REMOVE, { first_id: next[0]?.id ?? 0, last_id: next.at(-1)?.id ?? 0 })
  // The call is already in the kept sums, so no trigger adds it again.
  for (const call of next) await tx.rows(INSERT, Object.assign(call, { summed: 1 }))
}

/** Sends all changes to a server at once. */
async function changeRows(tx: Db, name: RewriteName, changed: readonly Call[]): Promise<void> {
  await Promise.all(changed.map((call) => rewriteQueries(tx)[name].run({ ...call })))
}

/** Each changes the calls that do not have the new form. @returns these */
const CHANGES: Record<RewriteName, (tx: Db, next: readonly Call[]) => Call[] | Promise<Call[]>> = {
  async prices(tx, next) {
    const known = new Map<string, number>()
    const priced: Call[] = []
    for (const call of next) {
      const { price } = call
      // A price that is not a JSON object is left unchanged, and does not stop the others.
      if (price === '' || !(known.has(price) || isJsonObject(price))) continue
      priced.push(Object.assign(call, await storePrice(tx, price, known)))
    }
    return priced
  },
  traces(_, next) {
    const traced = next.filter(({ trace }) => trace !== '')
    for (const call of traced) call.trace = ''
    return traced
  },
}

/** @param known ids of stored prices, by the part that calls share */
async function storePrice(tx: Db, text: string, known: Map<string, number>): Promise<StoredPrice> {
  const id = known.get(text)
  if (id !== undefined) return { price: '', price_id: id, counted: '' }
  const { json, counted } = splitPrice(text)
  const price_id = known.get(json) ?? (await idOfPrice(tx, json))
  known.set(json, price_id)
  return { price: '', price_id, counted }
}

async function idOfPrice(tx: Db, json: string): Promise<number> {
  const { findPrice, insertPrice } = rewriteQueries(tx)
  const sha256 = hashPrice(json)
  const stored = await findPrice.get({ sha256 })
  if (stored) return stored.id
  await insertPrice.run({ sha256, json })
  const inserted = await findPrice.get({ sha256 })
  if (!inserted) throw new Error('a price was not stored')
  return inserted.id
}

function isJsonObject(text: string): boolean {
  try {
    return JSON.parse(text) instanceof Object
  } catch {
    // The parse error is dropped; code that reads the call reports it.
    return false
  }
}
