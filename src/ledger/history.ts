// The history of calls: recorded calls, filtered and paged, and their sums by day. Only reads.
import type { Database } from 'bun:sqlite'
import { type PageRequest, pageOf, pageValues } from '../db/page.ts'
import type { Call } from '../db/schema.ts'
import type { Nanos } from '../domain/money.ts'
import type { Usage } from '../domain/usage.ts'
import { callQueries, callQueriesOfAccount } from './queries.ts'

/** Which calls; an absent field does not filter. */
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

/** A call with the names of its account and key. */
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

/** The sum of one key's calls of one model on one day. */
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

/** Where a day begins: in UTC for callers of the gateway, in the machine's time zone for its operator. */
export type DayZone = 'utc' | 'local'

/**
 * One page of calls, the newest first. Calls that are recorded meanwhile move no call from one page to another.
 */
export function listCalls(db: Database, filter: CallFilter, page: PageRequest): CallPage {
  const queries = queriesFor(db, filter)
  const { rows, next_cursor } = pageOf(
    queries.page.all({ ...parametersOf(filter), ...pageValues(page) }),
    page,
  )
  return { calls: rows, next_cursor }
}

/** The sums of calls by day, account, key and model: the newest day first, within a day the most expensive first. */
export function dailySums(db: Database, filter: CallFilter, zone: DayZone): DailySum[] {
  const queries = queriesFor(db, filter)
  const query = zone === 'utc' ? queries.utcSums : queries.localSums
  return query.all(parametersOf(filter))
}

const queriesFor = (db: Database, { account_id }: CallFilter) =>
  account_id === undefined ? callQueries(db) : callQueriesOfAccount(db)

/** A filter as the prepared queries take it: null, or a time before or after all others, where it does not filter. */
function parametersOf(filter: CallFilter) {
  const { account_id, key_id, key_prefix, model, outcome, since_ms, until_ms } = filter
  return {
    account_id,
    key_id: key_id ?? null,
    key_prefix: key_prefix ?? null,
    model: model ?? null,
    outcome: outcome ?? null,
    since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
    until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
  }
}
