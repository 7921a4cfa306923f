// The entries of all accounts: filtered and paged for reading, or all of them one part after the other. Only reads.
import type { Database } from 'bun:sqlite'
import { and, desc, eq, getTableColumns, gte, lt, or, sql } from 'drizzle-orm'
import { type Page, type PageRequest, pageOf } from '../db/page.ts'
import { perConnection } from '../db/prepared.ts'
import { accounts, calls, entries } from '../db/schema.ts'
import { type EntryFilter, entriesAfter, type ListedEntry, placeOf } from './entries.ts'

/** Which entries; without an account, those of all. */
export type EntriesFilter = Omit<EntryFilter, 'account_id'> & { account_id?: number | undefined }

/** An entry with the name of its account. */
export interface NamedEntry extends ListedEntry {
  account_name: string
}

const { placeholder } = sql

const queries = perConnection({
  accounts: (orm) =>
    orm.select({ id: accounts.id, name: accounts.name }).from(accounts).orderBy(desc(accounts.id)).prepare(),
  name: (orm) =>
    orm
      .select({ name: accounts.name })
      .from(accounts)
      .where(eq(accounts.id, placeholder('id')))
      .prepare(),
  lastId: (orm) =>
    orm
      .select({ id: sql<number | null>`max(${entries.id})` })
      .from(entries)
      .prepare(),
  range: (orm) =>
    orm
      .select({
        ...getTableColumns(entries),
        account_name: accounts.name,
        request_id: calls.request_id,
        model: calls.model,
        unpaid_nanos: calls.unpaid_nanos,
      })
      .from(entries)
      .innerJoin(accounts, eq(accounts.id, entries.account_id))
      .leftJoin(calls, eq(calls.id, entries.call_id))
      .where(
        and(
          gte(entries.id, placeholder('from_id')),
          lt(entries.id, placeholder('below_id')),
          gte(entries.created_at_ms, placeholder('since_ms')),
          lt(entries.created_at_ms, placeholder('until_ms')),
          or(sql`${placeholder('kind')} IS NULL`, eq(entries.kind, placeholder('kind'))),
        ),
      )
      .orderBy(desc(entries.id))
      .prepare(),
})

/** Accounts that are asked at once: some 5 ms. */
const ACCOUNTS_AT_ONCE = 200

/**
 * One page of entries, the newest first: as `listEntries` for one account; for all, each account is asked by its index for
 * what is newer than the page found so far, which is little.
 *
 * @returns undefined where the cursor is no entry, or none of the account
 */
export async function listNamedEntries(
  db: Database,
  { account_id, ...filter }: EntriesFilter,
  page: PageRequest,
): Promise<Page<NamedEntry> | undefined> {
  const { limit, cursor } = page
  const place = cursor === undefined ? undefined : placeOf(db, cursor)
  if (cursor !== undefined && !place) return undefined
  if (place && account_id !== undefined && place.account_id !== account_id) return undefined
  const asked =
    account_id === undefined ? queries(db).accounts.all() : [{ id: account_id, name: nameOf(db, account_id) }]
  let found: NamedEntry[] = []
  for (const [index, { id, name }] of asked.entries()) {
    if (index > 0 && index % ACCOUNTS_AT_ONCE === 0) await endOfTurn()
    const oldest_ms = found[limit]?.created_at_ms ?? Number.MIN_SAFE_INTEGER
    const since_ms = Math.max(filter.since_ms ?? Number.MIN_SAFE_INTEGER, oldest_ms)
    const more = entriesAfter(db, { ...filter, account_id: id, since_ms }, place, limit + 1)
    if (more.length === 0) continue
    found = [...found, ...more.map((entry) => ({ ...entry, account_name: name }))].sort(newestFirst)
    found.length = Math.min(found.length, limit + 1)
  }
  return pageOf(found, page)
}

const nameOf = (db: Database, id: number): string => queries(db).name.get({ id })?.name ?? ''

const newestFirst = (one: NamedEntry, other: NamedEntry): number =>
  other.created_at_ms - one.created_at_ms || other.id - one.id

/** Entries that are read at once: some 3 ms. */
const ENTRIES_AT_ONCE = 250

/** All entries that match, the newest first, a part at a time: calls go on between two parts. A part may be empty. */
export async function* allEntries(
  db: Database,
  { account_id, ...filter }: EntriesFilter,
): AsyncGenerator<NamedEntry[]> {
  for (const part of account_id === undefined
    ? partsOfAll(db, filter)
    : partsOf(db, { ...filter, account_id })) {
    yield part
    await endOfTurn()
  }
}

function* partsOfAll(
  db: Database,
  { kind, since_ms, until_ms }: Omit<EntryFilter, 'account_id'>,
): Generator<NamedEntry[]> {
  const { lastId, range } = queries(db)
  for (let below_id = (lastId.get()?.id ?? 0) + 1; below_id > 1; below_id -= ENTRIES_AT_ONCE) {
    yield range.all({
      from_id: below_id - ENTRIES_AT_ONCE,
      below_id,
      kind: kind ?? null,
      since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
      until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
    })
  }
}

function* partsOf(db: Database, filter: EntryFilter): Generator<NamedEntry[]> {
  const account_name = nameOf(db, filter.account_id)
  for (let last: ListedEntry | undefined; ; ) {
    const part = entriesAfter(db, filter, last, ENTRIES_AT_ONCE)
    yield part.map((entry) => ({ ...entry, account_name }))
    last = part.at(-1)
    if (part.length < ENTRIES_AT_ONCE) return
  }
}

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
