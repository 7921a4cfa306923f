// Owns what is asked of the past: recorded calls, filtered and paged, and their sums by day. Only ever reads.
import type { Database } from 'bun:sqlite'
import { and, desc, eq, getTableColumns, gte, lt, type SQL, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { accounts, type Call, calls, keys } from '../db/schema.ts'
import type { Nanos } from '../domain/money.ts'
import type { Usage } from '../domain/usage.ts'

/** Which calls; what is absent does not filter. */
export interface CallFilter {
  account_id?: number | undefined
  key_id?: number | undefined
  key_prefix?: string | undefined
  model?: string | undefined
  outcome?: Call['outcome'] | undefined
  /** Calls that started at this time or later. */
  since_ms?: number | undefined
  /** Calls that started before this time. */
  until_ms?: number | undefined
}

export interface PageRequest {
  /** At most this many calls. */
  limit: number
  /** The `next_cursor` of the page before; absent for the first page. */
  cursor?: number | undefined
}

/** A call with the names of who made it. */
export interface RecordedCall extends Call {
  account_name: string
  key_name: string
  key_prefix: string
}

export interface CallPage {
  /** The newest first. */
  calls: RecordedCall[]
  /** Where the next page begins; undefined on the last one. */
  next_cursor: number | undefined
}

/** What one key's calls of one model came to on one day. */
export interface DailySum extends Usage {
  /** `2026-12-31`. */
  day: string
  account_id: number
  account_name: string
  key_id: number
  key_name: string
  key_prefix: string
  model: string
  calls: number
  images: number
  cost_nanos: Nanos
  unpaid_nanos: Nanos
}

/** Where a day begins: for callers of the gateway in UTC, for its operator where he is. */
export type DayZone = 'utc' | 'local'

const NAMES = { account_name: accounts.name, key_name: keys.name, key_prefix: keys.prefix }

/**
 * One page of calls, the newest first. Calls that are recorded meanwhile move no call from one page to another.
 *
 * @param page `limit` from 1
 */
export function listCalls(db: Database, filter: CallFilter, page: PageRequest): CallPage {
  const { limit, cursor } = page
  const rows = drizzle({ client: db })
    .select({ ...getTableColumns(calls), ...NAMES })
    .from(calls)
    .innerJoin(accounts, eq(accounts.id, calls.account_id))
    .innerJoin(keys, eq(keys.id, calls.key_id))
    .where(and(matching(filter), cursor === undefined ? undefined : lt(calls.id, cursor)))
    .orderBy(desc(calls.id))
    .limit(limit + 1)
    .all()
  const found = rows.slice(0, limit)
  return { calls: found, next_cursor: rows.length > limit ? found.at(-1)?.id : undefined }
}

/** The sums of calls by day, account, key and model: the newest day first, in it the dearest first. */
export function dailySums(db: Database, filter: CallFilter, zone: DayZone): DailySum[] {
  const day = dayOf(zone)
  const cost_nanos = sumOf(calls.cost_nanos)
  return drizzle({ client: db })
    .select({
      day,
      account_id: calls.account_id,
      key_id: calls.key_id,
      ...NAMES,
      model: calls.model,
      calls: sql<number>`count(*)`,
      input_tokens: sumOf(calls.input_tokens),
      input_audio_tokens: sumOf(calls.input_audio_tokens),
      cache_read_tokens: sumOf(calls.cache_read_tokens),
      cache_write_5m_tokens: sumOf(calls.cache_write_5m_tokens),
      cache_write_1h_tokens: sumOf(calls.cache_write_1h_tokens),
      output_tokens: sumOf(calls.output_tokens),
      thinking_tokens: sumOf(calls.thinking_tokens),
      output_image_tokens: sumOf(calls.output_image_tokens),
      images: sumOf(calls.images),
      cost_nanos,
      unpaid_nanos: sumOf(calls.unpaid_nanos),
    })
    .from(calls)
    .innerJoin(accounts, eq(accounts.id, calls.account_id))
    .innerJoin(keys, eq(keys.id, calls.key_id))
    .where(matching(filter))
    .groupBy(day, calls.account_id, calls.key_id, calls.model)
    .orderBy(desc(day), desc(cost_nanos), calls.account_id, calls.key_id, calls.model)
    .all()
}

function matching(filter: CallFilter): SQL | undefined {
  const { account_id, key_id, key_prefix, model, outcome, since_ms, until_ms } = filter
  return and(
    account_id === undefined ? undefined : eq(calls.account_id, account_id),
    key_id === undefined ? undefined : eq(calls.key_id, key_id),
    key_prefix === undefined ? undefined : eq(keys.prefix, key_prefix),
    model === undefined ? undefined : eq(calls.model, model),
    outcome === undefined ? undefined : eq(calls.outcome, outcome),
    since_ms === undefined ? undefined : gte(calls.started_at_ms, since_ms),
    until_ms === undefined ? undefined : lt(calls.started_at_ms, until_ms),
  )
}

function dayOf(zone: DayZone): SQL<string> {
  const seconds = sql`${calls.started_at_ms} / 1000`
  return zone === 'utc' ? sql`date(${seconds}, 'unixepoch')` : sql`date(${seconds}, 'unixepoch', 'localtime')`
}

/** Drizzle's own `sum` gives text, and null for no rows; a group always has rows. */
function sumOf(column: SQLiteColumn): SQL<number> {
  return sql<number>`sum(${column})`
}
