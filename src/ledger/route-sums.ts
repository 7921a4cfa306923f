// Sums of tries at routes: added up in memory as calls end, written together every ten seconds, and kept for a day.
import type { Database } from 'bun:sqlite'
import { and, lt, sql } from 'drizzle-orm'
import { untilFree } from '../db/busy.ts'
import { equals, placeholders } from '../db/placeholders.ts'
import { perConnection } from '../db/prepared.ts'
import { route_sums } from '../db/schema.ts'
import { immediately } from '../db/transaction.ts'
import type { Logger } from '../observe/log.ts'
import type { CallRecord } from './operations.ts'
import { type Try, triesOf } from './tries.ts'

/** A sum of tries that went alike. */
export interface RouteSum {
  model: string
  provider: string
  upstream_model: string
  result: string
  tries: number
  /** Of these, the last tries of their calls. */
  calls: number
  first_byte_ms: number
}

export interface RouteSums {
  /** A call has ended. It costs a fraction of a microsecond: nothing is written. */
  add(call: CallRecord): void
  /** The sums of the last hour or day, those included that are not written yet. An hour is told to five minutes, a day to an hour. */
  since(range: HealthRange): RouteSum[]
  /** Writes what is not written yet. */
  write(): Promise<void>
  /** The same, before the database is closed. */
  close(): Promise<void>
}

export type HealthRange = 'hour' | 'day'

const HOUR_S = 3_600
/** The periods in which each range is summed. */
const SPANS: Readonly<Record<HealthRange, { span_s: number; length_s: number }>> = {
  hour: { span_s: 300, length_s: HOUR_S },
  day: { span_s: HOUR_S, length_s: 24 * HOUR_S },
}

/** What a crash takes of them at most. */
const WRITE_EVERY_MS = 10_000
/** While they cannot be written. More routes than catalogues have, for some hours. */
const MAX_UNWRITTEN = 20_000

interface Unwritten extends RouteSum {
  /** Of five minutes. */
  start_s: number
}

/** @param db one that does not wait for the disk: sums are no money */
export function openRouteSums(
  db: Database,
  { now, log }: { now: () => number; log: Pick<Logger, 'warn'> },
): RouteSums {
  const unwritten = new UnwrittenSums()
  /** Said once. */
  let is_failing = false
  const startOf = (time_ms: number, span_s: number) => Math.floor(time_ms / 1_000 / span_s) * span_s
  const firstStart = ({ span_s, length_s }: (typeof SPANS)[HealthRange]) =>
    startOf(now() - length_s * 1_000, span_s)

  function writeAll(): void {
    const { add, sweep } = queries(db)
    for (const { start_s, ...sum } of unwritten.all())
      for (const { span_s } of Object.values(SPANS))
        add.run({ ...sum, span_s, start_s: Math.floor(start_s / span_s) * span_s })
    for (const span of Object.values(SPANS)) sweep.run({ span_s: span.span_s, start_s: firstStart(span) })
  }

  async function write(): Promise<void> {
    if (unwritten.size === 0) return
    try {
      await untilFree(() => {
        immediately(db, writeAll)
        unwritten.clear()
      })
      is_failing = false
    } catch (cause) {
      if (!is_failing) log.warn({ cause }, 'how routes did could not be written; it is tried again')
      is_failing = true
    }
  }

  const timer = setInterval(() => void write(), WRITE_EVERY_MS)
  timer.unref()

  return {
    add(call) {
      const start_s = startOf(call.started_at_ms + call.duration_ms, SPANS.hour.span_s)
      for (const one of triesOf(call)) unwritten.add(start_s, call.model, one)
    },
    since(range) {
      const span = SPANS[range]
      const from_s = firstStart(span)
      const stored = queries(db).since.all({ span_s: span.span_s, start_s: from_s })
      return [...stored, ...unwritten.all().filter(({ start_s }) => start_s >= from_s)]
    },
    write,
    async close() {
      clearInterval(timer)
      await write()
    },
  }
}

class UnwrittenSums {
  /** By their model, which has few at a time: a key of all their names would be made for each call. */
  readonly #of_models = new Map<string, Unwritten[]>()
  size = 0

  all = (): Unwritten[] => [...this.#of_models.values()].flat()

  clear(): void {
    this.#of_models.clear()
    this.size = 0
  }

  add(
    start_s: number,
    model: string,
    { provider, upstream_model, result, is_last, first_byte_ms }: Try,
  ): void {
    const of_model = this.#of_models.get(model) ?? []
    let sum = of_model.findLast(
      (known) =>
        known.start_s === start_s &&
        known.result === result &&
        known.provider === provider &&
        known.upstream_model === upstream_model,
    )
    if (!sum) {
      if (this.size >= MAX_UNWRITTEN) return
      sum = { start_s, model, provider, upstream_model, result, tries: 0, calls: 0, first_byte_ms: 0 }
      if (of_model.push(sum) === 1) this.#of_models.set(model, of_model)
      this.size += 1
    }
    sum.tries++
    if (is_last) sum.calls++
    sum.first_byte_ms += first_byte_ms
  }
}

const { placeholder } = sql
const added = (column: 'tries' | 'calls' | 'first_byte_ms') => sql.raw(`${column} + excluded.${column}`)

const queries = perConnection({
  add: (orm) =>
    orm
      .insert(route_sums)
      .values(
        placeholders(
          'span_s',
          'start_s',
          'model',
          'provider',
          'upstream_model',
          'result',
          'tries',
          'calls',
          'first_byte_ms',
        ),
      )
      .onConflictDoUpdate({
        target: [
          route_sums.span_s,
          route_sums.start_s,
          route_sums.model,
          route_sums.provider,
          route_sums.upstream_model,
          route_sums.result,
        ],
        set: { tries: added('tries'), calls: added('calls'), first_byte_ms: added('first_byte_ms') },
      })
      .prepare(),
  sweep: (orm) =>
    orm
      .delete(route_sums)
      .where(and(equals(route_sums.span_s, 'span_s'), lt(route_sums.start_s, placeholder('start_s'))))
      .prepare(),
  since: (orm) =>
    orm
      .select({
        model: route_sums.model,
        provider: route_sums.provider,
        upstream_model: route_sums.upstream_model,
        result: route_sums.result,
        tries: sql<number>`sum(${route_sums.tries})`,
        calls: sql<number>`sum(${route_sums.calls})`,
        first_byte_ms: sql<number>`sum(${route_sums.first_byte_ms})`,
      })
      .from(route_sums)
      .where(
        // No index by time: in the order of the key, what is added up lies together, and nearly all of it is of the time.
        and(equals(route_sums.span_s, 'span_s'), sql`+${route_sums.start_s} >= ${placeholder('start_s')}`),
      )
      .groupBy(route_sums.model, route_sums.provider, route_sums.upstream_model, route_sums.result)
      .prepare(),
})
