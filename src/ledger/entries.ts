// The entries of an account: every movement of its balance, filtered and paged, the newest first. Only reads.
import type { Database } from 'bun:sqlite'
import { and, desc, eq, getTableColumns, gte, lt, or, type SQL, sql } from 'drizzle-orm'
import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'
import { type Page, type PageRequest, pageOf } from '../db/page.ts'
import { perConnection } from '../db/prepared.ts'
import { calls, type Entry, entries } from '../db/schema.ts'

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

/** @param kinds decides on the index that serves a query, so it is no optional filter: each has a statement of its own */
const pageWhere = (orm: BunSQLiteDatabase, kinds?: SQL) =>
  orm
    .select({
      ...getTableColumns(entries),
      request_id: calls.request_id,
      model: calls.model,
      unpaid_nanos: calls.unpaid_nanos,
    })
    .from(entries)
    .leftJoin(calls, eq(calls.id, entries.call_id))
    .where(
      and(
        eq(entries.account_id, placeholder('account_id')),
        gte(entries.created_at_ms, placeholder('since_ms')),
        lt(entries.created_at_ms, placeholder('until_ms')),
        sql`(${entries.created_at_ms}, ${entries.id}) < (${placeholder('before_ms')}, ${placeholder('below_id')})`,
        or(sql`${placeholder('kind')} IS NULL`, eq(entries.kind, placeholder('kind'))),
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
      .select({ created_at_ms: entries.created_at_ms })
      .from(entries)
      .where(and(eq(entries.id, placeholder('id')), eq(entries.account_id, placeholder('account_id'))))
      .prepare(),
})

/**
 * One page of an account's entries, the newest first. Entries that are written meanwhile move none from one page to
 * another. A call whose cost the balance did not cover at all has no charge: its cost is debt.
 *
 * @returns undefined where the cursor is no entry of the account
 */
export function listEntries(
  db: Database,
  { account_id, kind, since_ms, until_ms }: EntryFilter,
  page: PageRequest,
): Page<ListedEntry> | undefined {
  const queries = entryQueries(db)
  const { limit, cursor } = page
  const before = cursor === undefined ? undefined : queries.time.get({ id: cursor, account_id })
  if (cursor !== undefined && !before) return undefined
  const query = kind === undefined || kind === 'charge' ? queries.page : queries.pageWithoutCalls
  const found = query.all({
    account_id,
    kind: kind ?? null,
    since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
    until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
    before_ms: before?.created_at_ms ?? Number.MAX_SAFE_INTEGER,
    below_id: cursor ?? Number.MAX_SAFE_INTEGER,
    row_limit: limit + 1,
  })
  return pageOf(found, page)
}
