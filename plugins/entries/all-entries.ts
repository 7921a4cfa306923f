// The entries of all accounts: filtered and paged for reading, or all of them one part after the other. Only reads.
import { and, desc, eq, gte, lt, sql } from 'drizzle-orm'
import type { ListPageRequest } from '../../src/app/list/list.ts'
import type { Db, Orm } from '../../src/store/db.ts'
import { type Page, pageOf } from '../../src/store/page.ts'
import { equals, equalsIfGiven, isOneOf } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { accounts, calls, entries } from '../../src/store/schema.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'
import {
  type EntryFilter,
  type EntryPlace,
  entriesAfter,
  LISTED_COLUMNS,
  type ListedEntry,
  listEntries,
  placeOfPage,
  valuesOf,
} from './listing.ts'

/** Which entries; without an account, those of all. */
export type EntriesFilter = Omit<EntryFilter, 'account_id'> & { account_id?: number | undefined }

/** An entry with the name of its account. */
export interface NamedEntry extends ListedEntry {
  account_name: string
}

const { placeholder } = sql

const named = (orm: Orm) =>
  orm
    .select({ ...LISTED_COLUMNS, account_name: accounts.name })
    .from(entries)
    .innerJoin(accounts, eq(accounts.id, entries.account_id))
    .leftJoin(calls, eq(calls.id, entries.call_id))

const queries = perConnection({
  name: (orm) =>
    orm.select({ name: accounts.name }).from(accounts).where(equals(accounts.id, 'id')).prepare(),
  lastId: (orm) =>
    orm
      .select({ id: sql<number | null>`max(${entries.id})` })
      .from(entries)
      .prepare(),
  lastAccount: (orm) =>
    orm
      .select({ id: sql<number | null>`max(${accounts.id})` })
      .from(accounts)
      .prepare(),
  ofIds: (orm) => named(orm).where(isOneOf(entries.id, 'ids')).prepare(),
  range: (orm) =>
    named(orm)
      .where(
        and(
          gte(entries.id, placeholder('from_id')),
          lt(entries.id, placeholder('below_id')),
          gte(entries.created_at_ms, placeholder('since_ms')),
          lt(entries.created_at_ms, placeholder('until_ms')),
          equalsIfGiven(entries.kind, 'kind'),
        ),
      )
      .orderBy(desc(entries.id))
      .prepare(),
})

/**
 * One page of entries, the newest first: as `listEntries` for one account.
 *
 * @returns undefined if the cursor is no entry, or none of the account
 */
export async function listNamedEntries(
  db: Db,
  filter: EntriesFilter,
  page: ListPageRequest,
): Promise<Page<NamedEntry> | undefined> {
  const { limit } = page
  const { account_id } = filter
  if (account_id !== undefined) {
    const listed = await listEntries(db, { ...filter, account_id }, page)
    const account_name = await nameOf(db, account_id)
    return listed && { ...listed, rows: listed.rows.map((entry) => ({ ...entry, account_name })) }
  }
  const place = await placeOfPage(db, page)
  if (!place) return undefined
  const newest = await newestOfAll(db, filter, place, limit + 1)
  const found = await queries(db).ofIds.all({ ids: JSON.stringify(newest.map(({ id }) => id)) })
  return pageOf(found.sort(newestFirst), page)
}

/** Accounts of one query: some 3 ms. */
const ACCOUNTS_AT_ONCE = 200

/**
 * The newest entries of all accounts that come after a place. One query reads some hundred accounts by their index,
 * for what is newer than those found so far, which is little. Raw SQL, because Drizzle has no query within a query that
 * reads a row of the outer one; one query for each account took twenty times as long.
 */
async function newestOfAll(
  db: Db,
  filter: EntriesFilter,
  place: EntryPlace,
  count: number,
): Promise<EntryPlace[]> {
  const { since_ms, ...values } = valuesOf(filter)
  const without_calls = values.kind !== null && values.kind !== 'charge'
  const newest_sql = newestSql(without_calls)
  const last_account = (await queries(db).lastAccount.get())?.id ?? 0
  let found: EntryPlace[] = []
  for (let from = 1; from <= last_account; from += ACCOUNTS_AT_ONCE) {
    if (from > 1) await endOfTurn()
    const more = await db.rows<EntryPlace>(newest_sql, {
      from,
      below: from + ACCOUNTS_AT_ONCE,
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

/** @param without_calls these entries have an index of their own */
const newestSql = (without_calls: boolean): string => `
  SELECT entries.id, entries.created_at_ms FROM accounts JOIN entries ON entries.id IN (
    SELECT of_account.id FROM entries AS of_account
     WHERE of_account.account_id = accounts.id AND created_at_ms >= $since_ms AND created_at_ms < $until_ms
       AND (created_at_ms, of_account.id) < ($before_ms, $below_id)
       AND (CAST($kind AS TEXT) IS NULL OR kind = $kind) ${without_calls ? "AND kind <> 'charge'" : ''}
     ORDER BY created_at_ms DESC, of_account.id DESC LIMIT $count)
   WHERE accounts.id >= $from AND accounts.id < $below
   ORDER BY entries.created_at_ms DESC, entries.id DESC LIMIT $count`

const nameOf = async (db: Db, id: number): Promise<string> => (await queries(db).name.get({ id }))?.name ?? ''

const newestFirst = (one: EntryPlace, other: EntryPlace): number =>
  other.created_at_ms - one.created_at_ms || other.id - one.id

/** Entries that are read at once: some 3 ms. */
const ENTRIES_AT_ONCE = 250

/** All entries that match, the newest first, a part at a time: calls go on between two parts. A part may be empty. */
export async function* allEntries(
  db: Db,
  { account_id, ...filter }: EntriesFilter,
): AsyncGenerator<NamedEntry[]> {
  const parts = account_id === undefined ? partsOfAll(db, filter) : partsOf(db, { ...filter, account_id })
  for await (const part of parts) {
    yield part
    await endOfTurn()
  }
}

async function* partsOfAll(db: Db, filter: Omit<EntryFilter, 'account_id'>): AsyncGenerator<NamedEntry[]> {
  const { lastId, range } = queries(db)
  const last_id = (await lastId.get())?.id ?? 0
  for (let below_id = last_id + 1; below_id > 1; below_id -= ENTRIES_AT_ONCE)
    yield await range.all({ ...valuesOf(filter), from_id: below_id - ENTRIES_AT_ONCE, below_id })
}

async function* partsOf(db: Db, filter: EntryFilter): AsyncGenerator<NamedEntry[]> {
  const account_name = await nameOf(db, filter.account_id)
  for (let last: ListedEntry | undefined; ; ) {
    const part = await entriesAfter(db, filter, last, ENTRIES_AT_ONCE)
    yield part.map((entry) => ({ ...entry, account_name }))
    last = part.at(-1)
    if (part.length < ENTRIES_AT_ONCE) return
  }
}
