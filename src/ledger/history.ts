// The history of calls: recorded calls, filtered and paged. Only reads, and never more than a bounded part of it at once.
import type { Database } from 'bun:sqlite'
import type { PageRequest } from '../db/page.ts'
import type { Call } from '../db/schema.ts'
import type { Nanos } from '../domain/money.ts'
import { DAY_S } from './days.ts'
import { callQueries, callQueriesOfAccount, keyPrefixQueries, startQueries } from './queries.ts'

/** How a call ended. */
export const OUTCOMES = ['completed', 'cancelled', 'broken', 'failed'] as const

/** Which calls; an absent field does not filter. */
export interface CallFilter {
  account_id?: number | undefined
  key_id?: number | undefined
  key_prefix?: string | undefined
  model?: string | undefined
  outcome?: Call['outcome'] | undefined
  provider?: string | undefined
  /** The least and the greatest HTTP status. */
  status?: { from: number; to: number } | undefined
  min_cost_nanos?: Nanos | undefined
  /** Calls that started at this time or later. */
  since_ms?: number | undefined
  /** Calls that started before this time. */
  until_ms?: number | undefined
}

/** A call with the names of its account and key. */
export interface RecordedCall extends Omit<Call, 'summed' | 'trace'> {
  account_name: string
  key_name: string
  key_prefix: string
}

export interface CallPage {
  /** The newest first. May be fewer than were asked for, or none, although there are more: see `next_cursor`. */
  calls: RecordedCall[]
  /** Where the next page begins; undefined on the last one. */
  next_cursor: number | undefined
}

/** A search looks at this many calls, about 10 ms; the next page goes on where it ended. */
const MAX_CALLS_LOOKED_AT = 5_000

/** Of the ranges in which calls may be, this many are looked for at once. */
const MAX_RANGES = 2_000

interface IdRange {
  readonly first_id: number
  readonly last_id: number
}

/**
 * One page of calls, the newest first. Calls that are recorded meanwhile move no call from one page to another.
 *
 * The kept sums tell where calls that match can be, so that nothing is searched where there are none. A filter that few
 * calls match may still have to look at many: the page ends after `max_looked_at` of them, whatever it has found.
 */
export function listCalls(
  db: Database,
  filter: CallFilter,
  { limit, cursor = Number.MAX_SAFE_INTEGER }: PageRequest,
  max_looked_at = MAX_CALLS_LOOKED_AT,
): CallPage {
  const queries = queriesFor(db, filter)
  const values = valuesOf(db, filter)
  const calls: RecordedCall[] = []
  const { ranges, rest_below_id } = isNarrowed(filter)
    ? rangesOf(db, filter, cursor)
    : { ranges: [{ first_id: 0, last_id: cursor - 1 }], rest_below_id: undefined }
  let to_look_at = isFilter(filter) ? max_looked_at : limit + 1
  for (const { first_id, last_id } of ranges) {
    const below_id = last_id + 1
    if (to_look_at === 0) return { calls, next_cursor: below_id }
    const step = queries.step.get({ ...values, from_id: first_id, below_id, row_limit: to_look_at })
    if (!step || step.first_id === null) continue
    to_look_at -= step.calls
    const row_limit = limit + 1 - calls.length
    calls.push(...queries.page.all({ ...values, from_id: step.first_id, below_id, row_limit }))
    if (calls.length > limit) return { calls: calls.slice(0, limit), next_cursor: calls[limit - 1]?.id }
    if (to_look_at === 0 && step.first_id > first_id) return { calls, next_cursor: step.first_id }
  }
  return { calls, next_cursor: rest_below_id }
}

/** When the first call from an id on began: how far back a search went that goes on below it. */
export const startOfCall = (db: Database, from_id: number): number | undefined =>
  startQueries(db).from.get({ from_id })?.started_at_ms

/**
 * Where calls that match can be: ranges of ids that do not overlap, the newest first.
 *
 * @returns also below which id there may be more of them, where there are too many
 */
function rangesOf(
  db: Database,
  filter: CallFilter,
  below_id: number,
): { ranges: IdRange[]; rest_below_id: number | undefined } {
  const { since_ms, until_ms } = valuesOf(db, filter)
  const found = queriesFor(db, filter).ranges.all({
    ...valuesOf(db, filter),
    from_s: Math.floor(since_ms / 1_000) - DAY_S,
    until_s: Math.ceil(until_ms / 1_000),
    below_id,
    row_limit: MAX_RANGES + 1,
  })
  // Those that were left out end at or before the last one that was found.
  const rest_below_id = found.length > MAX_RANGES ? (found[MAX_RANGES]?.last_id ?? 0) + 1 : undefined
  if (rest_below_id !== undefined && rest_below_id >= below_id)
    return { ranges: [{ first_id: 0, last_id: below_id - 1 }], rest_below_id: undefined }
  const ranges: IdRange[] = []
  for (const { first_id, last_id } of found) {
    const range = {
      first_id: Math.max(first_id, rest_below_id ?? 0),
      last_id: Math.min(last_id, below_id - 1),
    }
    const newer = ranges.at(-1)
    if (range.first_id > range.last_id) continue
    if (newer && range.last_id >= newer.first_id - 1)
      ranges[ranges.length - 1] = {
        first_id: Math.min(newer.first_id, range.first_id),
        last_id: newer.last_id,
      }
    else ranges.push(range)
  }
  return { ranges, rest_below_id }
}

/** Whether the kept sums tell where calls that match can be: they do not tell providers, statuses and costs apart. */
export const isNarrowed = ({ account_id, provider, status, min_cost_nanos, ...told }: CallFilter): boolean =>
  Object.values(told).some((value) => value !== undefined)

const isFilter = ({ account_id, ...rest }: CallFilter): boolean =>
  Object.values(rest).some((value) => value !== undefined)

/** The queries that serve a filter by an index. */
export const queriesFor = (db: Database, { account_id }: CallFilter) =>
  account_id === undefined ? callQueries(db) : callQueriesOfAccount(db)

/** A filter as the prepared queries take it: null, or a time before or after all others, where it does not filter. */
export function valuesOf(db: Database, filter: CallFilter) {
  const { account_id, key_id, key_prefix, model, outcome, provider, status, min_cost_nanos } = filter
  const { since_ms, until_ms } = filter
  const of_prefix = key_prefix === undefined ? undefined : keyPrefixQueries(db).ids.all({ key_prefix })
  const of_key = key_id === undefined ? undefined : [key_id]
  const key_ids = of_key ?? of_prefix?.map(({ id }) => id)
  return {
    account_id,
    key_ids: key_ids === undefined ? null : JSON.stringify(key_ids),
    model: model ?? null,
    outcome: outcome ?? null,
    provider: provider ?? null,
    status_from: status?.from ?? null,
    status_to: status?.to ?? null,
    min_cost_nanos: min_cost_nanos ?? null,
    since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
    until_ms: until_ms ?? Number.MAX_SAFE_INTEGER,
  }
}
