// Last failures of routes from the traces of calls: failure class, the provider's message, and the call.
import { and, desc, gt, gte, sql } from 'drizzle-orm'
import { readTrace } from '../../src/money/ledger/traces.ts'
import type { Db } from '../../src/store/db.ts'
import { placeholder } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { calls } from '../../src/store/schema.ts'
import { BROKE_OFF } from './tries.ts'

/** A failed attempt, or an interrupted answer. */
export interface RouteFailure {
  provider: string
  /** The upstream model's id. */
  upstream_model: string
  failure_class: string
  at_ms: number
  /** The provider's message, without secrets. */
  words: string
  request_id: string
}

/** The number of calls whose traces are read, about 3 ms. */
const MAX_CALLS = 500

/**
 * Returns the last failure of each route since a time, from the newest calls with a failure.
 * @param first_id a lower bound of the ids of calls since that time
 */
export async function lastFailures(
  db: Db,
  { from_ms, first_id }: { from_ms: number; first_id: number },
): Promise<RouteFailure[]> {
  const rows = await failureQueries(db).newest.all({ from_ms, first_id, row_limit: MAX_CALLS })
  const last = new Map<string, RouteFailure>()
  for (const failure of rows.flatMap(failuresOf)) {
    const route = `${failure.provider} ${failure.upstream_model}`
    if (!last.has(route)) last.set(route, failure)
  }
  return [...last.values()]
}

type Row = Awaited<ReturnType<ReturnType<typeof failureQueries>['newest']['all']>>[number]

/** Latest first. */
function failuresOf({
  trace,
  request_id,
  outcome,
  provider,
  upstream_model,
  started_at_ms,
  duration_ms,
}: Row): RouteFailure[] {
  const { tried = [], failure } = readTrace(trace)
  const failures = tried
    .map((one) => ({
      provider: one.provider,
      upstream_model: one.model,
      failure_class: one.failure_class,
      at_ms: started_at_ms + one.at_ms + one.took_ms,
      words: one.words ?? '',
      request_id,
    }))
    .reverse()
  if (outcome !== 'broken' || provider === '') return failures
  const at_ms = started_at_ms + duration_ms
  const words = failure?.cause ?? failure?.message ?? ''
  return [{ provider, upstream_model, failure_class: BROKE_OFF, at_ms, words, request_id }, ...failures]
}

/** Calls with a failed route, newest first, by a partial index. */
const failureQueries = perConnection({
  newest: (orm) =>
    orm
      .select({
        request_id: calls.request_id,
        provider: calls.provider,
        upstream_model: calls.upstream_model,
        outcome: calls.outcome,
        started_at_ms: calls.started_at_ms,
        duration_ms: calls.duration_ms,
        trace: calls.trace,
      })
      .from(calls)
      .where(
        and(
          // A literal, so that the partial index is used.
          gt(calls.failed_tries, sql`0`),
          gte(calls.id, placeholder('first_id')),
          gte(calls.started_at_ms, placeholder('from_ms')),
        ),
      )
      .orderBy(desc(calls.id))
      .limit(placeholder('row_limit')),
})
