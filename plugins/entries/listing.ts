// The entries of an account: every movement of its balance, filtered and paged, the newest first. Only reads.
import { and, desc, eq, getTableColumns, gte, lt, type SQL, sql } from 'drizzle-orm'
import type { ListPageRequest } from '../../src/app/list/list.ts'
import type { Awaitable, Db, Orm } from '../../src/store/db.ts'
import { type Page, pageOf } from '../../src/store/page.ts'
import { equals, equalsIfGiven } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { calls, type Entry, entries } from '../../src/store/schema.ts'

/** Which entries of an account; an absent field does not filter. */
export interface EntryFilter {
  account_id: number
  kind?: Entry['kind'] | undefined
  /** Entries of this time or later. */
  since_ms?: number | undefined
  /** Entries before this time. */
  until_ms?: number | undefined
}

export const ENTRY_KINDS = ['top_up', 'withdrawal', 'charge', 'debt_payment'] as const

/** An entry; of a charge, also what its call says. */
export interface ListedEntry extends Entry {
  request_id: string | null
  model: string | null
  /** The part of the call's cost that the balance did not cover: it became debt. */
  unpaid_nanos: number | null
}

const { placeholder } = sql

/** The columns of an entry and of its call. */
export const LISTED_COLUMNS = {
  ...getTableColumns(entries),
  request_id: calls.request_id,
  model: calls.model,
  unpaid_nanos: calls.unpaid_nanos,
}

/** A filter as the prepared queries take it. */
export const valuesOf = ({ kind, since_ms, until_ms }: Omit<EntryFilter, 'account_id'>) => ({
  kind: kind ?? null,
  since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
  until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
})

/** @param kinds decides on the index that serves a query, so it is no optional filter: each has a statement of its own */
const pageWhere = (orm: Orm, kinds?: SQL) =>
  orm
    .select(LISTED_COLUMNS)
    .from(entries)
    .leftJoin(calls, eq(calls.id, entries.call_id))
    .where(
      and(
        equals(entries.account_id, 'account_id'),
        gte(entries.created_at_ms, placeholder('since_ms')),
        lt(entries.created_at_ms, placeholder('until_ms')),
        sql`(${entries.created_at_ms}, ${entries.id}) < (${placeholder('before_ms')}, ${placeholder('below_id')})`,
        equalsIfGiven(entries.kind, 'kind'),
        kinds,
      ),
    )
    .orderBy(desc(entries.created_at_ms), desc(entries.id))
    .limit(placeholder('row_limit'))
    .prepare()

const entryQueries = perConnection({
  page: (orm) => pageWhere(orm),
  pageWithoutCalls: (orm) => pageWhere(orm, sql`${entries.kind} <> 'charge'`),
  time: (orm) =>
    orm
      .select({ created_at_ms: entries.created_at_ms, account_id: entries.account_id })
      .from(entries)
      .where(equals(entries.id, 'id'))
      .prepare(),
})

/** A place in the order of entries: by time, then by id. */
export interface EntryPlace {
  created_at_ms: number
  id: number
}

export const BEFORE_ALL: EntryPlace = { created_at_ms: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER }

/** The place of an entry; undefined if not found. */
export async function placeOf(
  db: Db,
  id: number,
): Promise<(EntryPlace & { account_id: number }) | undefined> {
  const found = await entryQueries(db).time.get({ id })
  return found && { id, ...found }
}

/** Where a page begins. @returns undefined if its cursor or first entry is not found; of the first page no `account_id` */
export async function placeOfPage(
  db: Db,
  { cursor, first }: ListPageRequest,
): Promise<(EntryPlace & { account_id?: number }) | undefined> {
  if (cursor !== undefined) return placeOf(db, cursor)
  if (first === undefined) return BEFORE_ALL
  const place = await placeOf(db, first)
  return place && { ...place, id: place.id + 1 }
}

/** The entries of an account that come after a place, the newest first. */
export function entriesAfter(
  db: Db,
  { account_id, ...filter }: EntryFilter,
  { created_at_ms, id }: EntryPlace = BEFORE_ALL,
  row_limit: number,
): Awaitable<ListedEntry[]> {
  const queries = entryQueries(db)
  const query =
    filter.kind === undefined || filter.kind === 'charge' ? queries.page : queries.pageWithoutCalls
  return query.all({
    account_id,
    ...valuesOf(filter),
    before_ms: created_at_ms,
    below_id: id,
    row_limit,
  })
}

/**
 * One page of an account's entries, the newest first. Entries that are written meanwhile move none from one page to
 * another. A call whose cost the balance did not cover at all has no charge: its cost is debt.
 *
 * @returns undefined if the cursor is no entry of the account
 */
export async function listEntries(
  db: Db,
  filter: EntryFilter,
  page: ListPageRequest,
): Promise<Page<ListedEntry> | undefined> {
  const place = await placeOfPage(db, page)
  if (!place || (place.account_id ?? filter.account_id) !== filter.account_id) return undefined
  return pageOf(await entriesAfter(db, filter, place, page.limit + 1), page)
}
