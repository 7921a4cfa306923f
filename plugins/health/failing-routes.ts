// The routes that failed lately, read from the traces of calls: how often, and with which words the last time.
import { and, desc, gt, gte, sql } from 'drizzle-orm'
import { readTrace } from '../../src/money/ledger/traces.ts'
import type { Db } from '../../src/store/db.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { calls } from '../../src/store/schema.ts'
import { BROKE_OFF } from './tries.ts'

export interface FailingRoute {
  provider: string
  /** The provider's own id of the model. */
  upstream_model: string
  /** Tries that failed, or answers that broke off. */
  failures: number
  /** Of these, how many of which failure class. */
  classes: Record<string, number>
  last_at_ms: number
  last_class: string
  last_words: string
  last_request_id: string
}

/** Calls whose traces are read: some 3 ms. */
const MAX_CALLS = 500

interface Failure extends Pick<FailingRoute, 'provider' | 'upstream_model'> {
  failure_class: string
  at_ms: number
  words: string
  request_id: string
}

/**
 * The routes that failed since some time, those with the most failures first.
 * @param first_id no call since then has a lower id: those are not looked at
 * @returns `complete`: false if only the newest of the calls were looked at
 */
export async function failingRoutes(
  db: Db,
  { from_ms, first_id }: { from_ms: number; first_id: number },
): Promise<{ routes: FailingRoute[]; complete: boolean }> {
  const rows = await failureQueries(db).newest.all({ from_ms, first_id, row_limit: MAX_CALLS })
  const routes = new Map<string, FailingRoute>()
  for (const row of rows)
    for (const { failure_class, at_ms, words, request_id, ...route } of failuresOf(row)) {
      const name = `${route.provider} ${route.upstream_model}`
      const known = routes.get(name) ?? {
        ...route,
        failures: 0,
        classes: {},
        last_at_ms: at_ms,
        last_class: failure_class,
        last_words: words,
        last_request_id: request_id,
      }
      known.failures += 1
      known.classes[failure_class] = (known.classes[failure_class] ?? 0) + 1
      routes.set(name, known)
    }
  return {
    routes: [...routes.values()].sort((one, other) => other.failures - one.failures),
    complete: rows.length < MAX_CALLS,
  }
}

type Row = Awaited<ReturnType<ReturnType<typeof failureQueries>['newest']['all']>>[number]

/** The latest first. */
function failuresOf({
  trace,
  request_id,
  outcome,
  provider,
  upstream_model,
  started_at_ms,
  duration_ms,
}: Row): Failure[] {
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

const { placeholder } = sql

/** Calls of which a route failed, the newest first, by an index that has those alone. */
const failureQueries = perConnection({
  newest: (orm) =>
    orm
      .select({
        id: calls.id,
        request_id: calls.request_id,
        provider: calls.provider,
        upstream_model: calls.upstream_model,
        model: calls.model,
        outcome: calls.outcome,
        started_at_ms: calls.started_at_ms,
        duration_ms: calls.duration_ms,
        trace: calls.trace,
      })
      .from(calls)
      .where(
        and(
          // A literal, so that the partial index serves.
          gt(calls.failed_tries, sql`0`),
          gte(calls.id, placeholder('first_id')),
          gte(calls.started_at_ms, placeholder('from_ms')),
        ),
      )
      .orderBy(desc(calls.id))
      .limit(placeholder('row_limit'))
      .prepare(),
})
