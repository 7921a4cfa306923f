// Sums of entries by kind and, for charges and refunds, by model. Added up in batches, so that other work can run in between. Reads only.
import { and, asc, eq, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { Nanos } from '../../src/domain/money.ts'
import type { Db, Orm } from '../../src/store/db.ts'
import { equals, equalsUnlessNull, placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { calls, type Entry, entries } from '../../src/store/schema.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import { type EntryFilter, type EntryPlace, isUpToNewest, valuesOf } from './listing.ts'

/** Entries of one kind; charges and refunds of one model. */
export interface EntrySum {
  kind: Entry['kind']
  /** Null for entries without a call. */
  model: string | null
  entries: number
  amount_nanos: Nanos
}

/** Entries per query, which takes about 5 ms. */
const ENTRY_BATCH = 5_000

const summed = (orm: Orm, where: SQL | undefined) =>
  orm
    .select({
      kind: entries.kind,
      model: calls.model,
      entries: sql<number>`count(*)`,
      amount_nanos: sql<number>`sum(${entries.amount_nanos})`,
    })
    .from(entries)
    .leftJoin(calls, eq(calls.id, entries.call_id))
    .where(and(where, equalsUnlessNull(entries.kind, 'kind')))
    .groupBy(entries.kind, calls.model)

const isAfter = sql`(${entries.created_at_ms}, ${entries.id}) > (${placeholder('after_ms')}, ${placeholder('after_id')})`
const isUpTo = sql`(${entries.created_at_ms}, ${entries.id}) <= (${placeholder('last_ms')}, ${placeholder('last_id')})`
const isOfAccount = and(equals(entries.account_id, 'account_id'), isAfter, isUpToNewest)

/** @param kinds condition that determines the index, as in the list of entries */
const queriesOf = (kinds?: SQL) => ({
  /** The last entry of a batch. Reads only the index. */
  last: (orm: Orm) =>
    orm
      .select({ created_at_ms: entries.created_at_ms, id: entries.id })
      .from(entries)
      .where(and(isOfAccount, isUpTo, kinds))
      .orderBy(asc(entries.created_at_ms), asc(entries.id))
      .limit(1)
      .offset(placeholder('skipped')),
  part: (orm: Orm) => summed(orm, and(isOfAccount, isUpTo, kinds)),
})

const queriesOfAny = perConnection(queriesOf())
const queriesWithoutCalls = perConnection(queriesOf(sql`${entries.kind} <> 'charge'`))
const queriesOfAll = perConnection({
  lastId: (orm) => orm.select({ id: sql<number | null>`max(${entries.id})` }).from(entries),
  part: (orm) =>
    summed(
      orm,
      and(
        gte(entries.id, placeholder('from_id')),
        lt(entries.id, placeholder('below_id')),
        gte(entries.created_at_ms, placeholder('since_ms')),
        lt(entries.created_at_ms, placeholder('until_ms')),
      ),
    ),
})

/** Returns the sums of the matching entries in one snapshot, unordered. */
export function entrySums(db: Db, { account_id, ...filter }: EntryFilter): Promise<EntrySum[]> {
  return db.snapshot(async (then) => {
    const sums = new Map<string, EntrySum>()
    const parts = account_id === undefined ? partsOfAll(then, filter) : partsOf(then, account_id, filter)
    for await (const part of parts) {
      for (const sum of part) add(sums, sum)
      await endOfTurn()
    }
    return [...sums.values()]
  })
}

/** Returns the total number and amount of entries. */
export const totalOf = (sums: readonly EntrySum[]): Pick<EntrySum, 'entries' | 'amount_nanos'> =>
  sums.reduce(
    (total, sum) => ({
      entries: total.entries + sum.entries,
      amount_nanos: total.amount_nanos + sum.amount_nanos,
    }),
    { entries: 0, amount_nanos: 0 },
  )

function add(sums: Map<string, EntrySum>, { kind, model, entries, amount_nanos }: EntrySum): void {
  const name = `${kind} ${model}`
  const sum = sums.get(name)
  if (!sum) return void sums.set(name, { kind, model, entries, amount_nanos })
  sum.entries += entries
  sum.amount_nanos += amount_nanos
}

type FilterOfAll = Omit<EntryFilter, 'account_id'>

function partsOf(db: Db, account_id: number, filter: FilterOfAll): AsyncGenerator<EntrySum[]> {
  const { kind, since_ms, until_ms } = valuesOf(filter)
  const span = {
    after: { created_at_ms: since_ms, id: 0 },
    upTo: { created_at_ms: until_ms - 1, id: Number.MAX_SAFE_INTEGER },
  }
  return partsBetween(db, account_id, span, kind)
}

/** Entries of an account after one place, up to and including another. */
interface Span {
  after: EntryPlace
  upTo: EntryPlace
  /** As in `EntryFilter`. */
  newest_id?: number | undefined
}

async function* partsBetween(
  db: Db,
  account_id: number,
  { after, upTo, newest_id = Number.MAX_SAFE_INTEGER }: Span,
  kind: Entry['kind'] | null = null,
): AsyncGenerator<EntrySum[]> {
  const queries = kind === null || kind === 'charge' ? queriesOfAny(db) : queriesWithoutCalls(db)
  const end = { newest_id, last_ms: upTo.created_at_ms, last_id: upTo.id }
  for (let place = after; ; ) {
    const from = { account_id, after_ms: place.created_at_ms, after_id: place.id }
    const last = await queries.last.get({ ...from, ...end, skipped: ENTRY_BATCH - 1 })
    const to = last ? { newest_id, last_ms: last.created_at_ms, last_id: last.id } : end
    yield await queries.part.all({ ...from, ...to, kind })
    if (!last) return
    place = last
  }
}

/** Returns the sum of the entries between two places. */
export async function amountBetween(db: Db, account_id: number, span: Span): Promise<Nanos> {
  let amount_nanos = 0
  for await (const part of partsBetween(db, account_id, span)) {
    amount_nanos += totalOf(part).amount_nanos
    await endOfTurn()
  }
  return amount_nanos
}

async function* partsOfAll(db: Db, filter: FilterOfAll): AsyncGenerator<EntrySum[]> {
  const { lastId, part } = queriesOfAll(db)
  const last_id = (await lastId.get())?.id ?? 0
  for (let from_id = 1; from_id <= last_id; from_id += ENTRY_BATCH)
    yield await part.all({
      ...valuesOf(filter),
      from_id,
      below_id: from_id + ENTRY_BATCH,
    })
}
