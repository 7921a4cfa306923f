// Queries of balance entries of one or all accounts, newest first, in pages or all of them. Reads only.
import { and, desc, eq, getTableColumns, gt, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { ListPageRequest } from '../../src/app/list/list.ts'
import type { Awaitable, Db, Orm } from '../../src/store/db.ts'
import { type Page, pageOf } from '../../src/store/page.ts'
import { equals, equalsUnlessNull, isOneOf, placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts, calls, type Entry, entries } from '../../src/store/schema.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'

/** A filter of entries; an absent field does not filter. */
export interface EntryFilter {
  account_id?: number | undefined
  kind?: Entry['kind'] | undefined
  /** Entries of this time or later. */
  since_ms?: number | undefined
  /** Entries before this time. */
  until_ms?: number | undefined
  /** Entries up to this ID: the newest one when an export began. */
  newest_id?: number | undefined
}

type FilterOfAll = Omit<EntryFilter, 'account_id'>

/** An entry with the name of its account and, for a charge, fields of its call. */
export interface ListedEntry extends Entry {
  account_name: string
  request_id: string | null
  model: string | null
  /** The part of the call's cost above the balance, which became debt. */
  unpaid_nanos: number | null
}

const selected = (orm: Orm) =>
  orm
    .select({
      ...getTableColumns(entries),
      request_id: calls.request_id,
      model: calls.model,
      unpaid_nanos: sql<number | null>`CASE WHEN ${entries.kind} = 'charge' THEN ${calls.unpaid_nanos} END`,
      account_name: accounts.name,
    })
    .from(entries)
    .innerJoin(accounts, eq(accounts.id, entries.account_id))
    .leftJoin(calls, eq(calls.id, entries.call_id))

/** Converts a filter to the values of prepared queries. */
export const valuesOf = ({ kind, since_ms, until_ms, newest_id }: FilterOfAll) => ({
  kind: kind ?? null,
  newest_id: newest_id ?? Number.MAX_SAFE_INTEGER,
  since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
  until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
})

/** The unary plus prevents the use of an index for this condition. */
export const isUpToNewest = sql`+${entries.id} <= ${placeholder('newest_id')}`

/** @param kinds condition that determines the index, so it needs separate statements instead of an optional filter */
const pageWhere = (orm: Orm, kinds?: SQL) =>
  selected(orm)
    .where(
      and(
        equals(entries.account_id, 'account_id'),
        gte(entries.created_at_ms, placeholder('since_ms')),
        lt(entries.created_at_ms, placeholder('until_ms')),
        sql`(${entries.created_at_ms}, ${entries.id}) < (${placeholder('before_ms')}, ${placeholder('below_id')})`,
        isUpToNewest,
        equalsUnlessNull(entries.kind, 'kind'),
        kinds,
      ),
    )
    .orderBy(desc(entries.created_at_ms), desc(entries.id))
    .limit(placeholder('row_limit'))

const queriesOf = perConnection({
  page: (orm) => pageWhere(orm),
  pageWithoutCalls: (orm) => pageWhere(orm, sql`${entries.kind} <> 'charge'`),
  place: (orm) =>
    orm
      .select({ created_at_ms: entries.created_at_ms, account_id: entries.account_id })
      .from(entries)
      .where(equals(entries.id, 'id')),
  lastId: (orm) => orm.select({ id: sql<number | null>`max(${entries.id})` }).from(entries),
  /** Searches by ID; the unary plus prevents the use of the account's index. */
  lastIdOf: (orm) =>
    orm
      .select({ id: sql<number | null>`max(${entries.id})` })
      .from(entries)
      .where(
        and(
          gt(entries.id, placeholder('from_id')),
          sql`+${entries.account_id} = ${placeholder('account_id')}`,
        ),
      ),
  lastAccount: (orm) => orm.select({ id: sql<number | null>`max(${accounts.id})` }).from(accounts),
  ofIds: (orm) => selected(orm).where(isOneOf(entries.id, 'ids')),
  range: (orm) =>
    selected(orm)
      .where(
        and(
          gte(entries.id, placeholder('from_id')),
          lt(entries.id, placeholder('below_id')),
          gte(entries.created_at_ms, placeholder('since_ms')),
          lt(entries.created_at_ms, placeholder('until_ms')),
          equalsUnlessNull(entries.kind, 'kind'),
        ),
      )
      .orderBy(desc(entries.id)),
})

/** A place in the order of entries: by time, then by id. */
export interface EntryPlace {
  created_at_ms: number
  id: number
}

/** The place above every entry, where lists begin. */
export const LAST_PLACE: EntryPlace = { created_at_ms: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }

/** The place of an entry; undefined if not found. */
async function placeOf(db: Db, id: number): Promise<(EntryPlace & { account_id: number }) | undefined> {
  const found = await queriesOf(db).place.get({ id })
  return found && { id, ...found }
}

/** The place where a page begins. @returns undefined if its cursor or first entry is not found; without `account_id` for the first page */
async function placeOfPage(
  db: Db,
  { cursor, first }: ListPageRequest,
): Promise<(EntryPlace & { account_id?: number }) | undefined> {
  if (cursor !== undefined) return placeOf(db, cursor)
  if (first === undefined) return LAST_PLACE
  const place = await placeOf(db, first)
  return place && { ...place, id: place.id + 1 }
}

/**
 * Returns one page of entries, newest first. New entries never move others to another page. A call whose cost became debt
 * completely has no charge.
 *
 * @returns undefined if the cursor's entry does not exist or belongs to another account
 */
export async function listEntries(
  db: Db,
  { account_id, ...filter }: EntryFilter,
  page: ListPageRequest,
): Promise<Page<ListedEntry> | undefined> {
  const place = await placeOfPage(db, page)
  if (!place) return undefined
  if (account_id === undefined) {
    const newest = await newestOfAll(db, filter, place, page.limit + 1)
    const found = await queriesOf(db).ofIds.all({ ids: JSON.stringify(newest.map(({ id }) => id)) })
    return pageOf(found.sort(newestFirst), page)
  }
  if ((place.account_id ?? account_id) !== account_id) return undefined
  return pageOf(await entriesAfter(db, account_id, filter, place, page.limit + 1), page)
}

/** The entries of an account after a place, newest first. */
function entriesAfter(
  db: Db,
  account_id: number,
  filter: FilterOfAll,
  { created_at_ms, id }: EntryPlace,
  row_limit: number,
): Awaitable<ListedEntry[]> {
  const { page, pageWithoutCalls } = queriesOf(db)
  const query = filter.kind === undefined || filter.kind === 'charge' ? page : pageWithoutCalls
  return query.all({
    account_id,
    ...valuesOf(filter),
    before_ms: created_at_ms,
    below_id: id,
    row_limit,
  })
}

/** Accounts per query, which takes about 3 ms. */
const ACCOUNT_BATCH = 200

/**
 * Returns the newest entries of all accounts after a place. Each query reads a batch of accounts by their index, for the few
 * entries that are newer than those found so far. Raw SQL, because Drizzle has no correlated subqueries; one query per
 * account took twenty times as long.
 */
async function newestOfAll(
  db: Db,
  filter: FilterOfAll,
  place: EntryPlace,
  count: number,
): Promise<EntryPlace[]> {
  const { since_ms, newest_id: _, ...values } = valuesOf(filter)
  const without_calls = values.kind !== null && values.kind !== 'charge'
  const newest_sql = newestSql(without_calls)
  const last_account = (await queriesOf(db).lastAccount.get())?.id ?? 0
  let found: EntryPlace[] = []
  for (let from = 1; from <= last_account; from += ACCOUNT_BATCH) {
    if (from > 1) await endOfTurn()
    const more = await db.rows<EntryPlace>(newest_sql, {
      from,
      below: from + ACCOUNT_BATCH,
      ...values,
      since_ms: Math.max(since_ms, found[count - 1]?.created_at_ms ?? since_ms),
      before_ms: place.created_at_ms,
      below_id: place.id,
      count,
    })
    if (more.length > 0) found = [...found, ...more].sort(newestFirst).slice(0, count)
  }
  return found
}

/** @param without_calls excludes charges, so that the separate index of other entries is used */
const newestSql = (without_calls: boolean): string => `
  SELECT entries.id, entries.created_at_ms FROM accounts JOIN entries ON entries.id IN (
    SELECT of_account.id FROM entries AS of_account
     WHERE of_account.account_id = accounts.id AND created_at_ms >= $since_ms AND created_at_ms < $until_ms
       AND (created_at_ms, of_account.id) < ($before_ms, $below_id)
       AND (CAST($kind AS TEXT) IS NULL OR kind = $kind) ${without_calls ? "AND kind <> 'charge'" : ''}
     ORDER BY created_at_ms DESC, of_account.id DESC LIMIT $count)
   WHERE accounts.id >= $from AND accounts.id < $below
   ORDER BY entries.created_at_ms DESC, entries.id DESC LIMIT $count`

const newestFirst = (one: EntryPlace, other: EntryPlace): number =>
  other.created_at_ms - one.created_at_ms || other.id - one.id

/** Entries per query, which takes about 3 ms. */
const ENTRY_BATCH = 250

/** Far more than the number of entries written during one transaction. */
const MAX_CONCURRENT_ENTRIES = 10_000

/**
 * Returns the ID up to which all entries are committed: the newest of all, or of an account. With several gateways, another account's entry may have
 * a higher ID than an uncommitted one of this account; entries of one account are written one after the other.
 */
export async function newestEntryId(db: Db, account_id: number | undefined): Promise<number> {
  const { lastId, lastIdOf } = queriesOf(db)
  const newest_id = (await lastId.get())?.id ?? 0
  if (account_id === undefined) return newest_id
  const from_id = Math.max(newest_id - MAX_CONCURRENT_ENTRIES, 0)
  return (await lastIdOf.get({ account_id, from_id }))?.id ?? from_id
}

/**
 * Yields all matching entries up to an ID, newest first, in batches, so that other work can run in between. Each entry comes exactly once, whatever
 * is written meanwhile. A batch may be empty.
 */
export async function* allEntries(
  db: Db,
  { account_id, ...filter }: EntryFilter & { newest_id: number },
): AsyncGenerator<ListedEntry[]> {
  const parts = account_id === undefined ? partsOfAll(db, filter) : partsOf(db, account_id, filter)
  for await (const part of parts) {
    yield part
    await endOfTurn()
  }
}

async function* partsOfAll(
  db: Db,
  filter: FilterOfAll & { newest_id: number },
): AsyncGenerator<ListedEntry[]> {
  const { range } = queriesOf(db)
  for (let below_id = filter.newest_id + 1; below_id > 1; below_id -= ENTRY_BATCH)
    yield await range.all({ ...valuesOf(filter), from_id: below_id - ENTRY_BATCH, below_id })
}

async function* partsOf(db: Db, account_id: number, filter: FilterOfAll): AsyncGenerator<ListedEntry[]> {
  for (let last = LAST_PLACE; ; ) {
    const part = await entriesAfter(db, account_id, filter, last, ENTRY_BATCH)
    yield part
    last = part.at(-1) ?? last
    if (part.length < ENTRY_BATCH) return
  }
}
