// Sums of attempts at routes: added up in memory, written every ten seconds, and kept for a day; those of models for 90 days.
import { and, lt, sql } from 'drizzle-orm'
import type { CallRecord } from '../../src/money/ledger/operations.ts'
import type { Logger } from '../../src/observe/log.ts'
import type { Db } from '../../src/store/db.ts'
import { bareColumns, equals, placeholder, placeholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { route_sums } from '../../src/store/schema.ts'
import { addModelDays } from './model-days.ts'
import { type Try, triesOf } from './tries.ts'

/** A sum of attempts with the same result. */
export interface RouteSum {
  model: string
  provider: string
  upstream_model: string
  result: string
  tries: number
  /** The number of these attempts that were the last of their calls. */
  calls: number
  first_byte_ms: number
}

export interface RouteSums {
  /** Records the end of a call in memory, which takes less than a microsecond. @param tries the call's attempts */
  add(call: CallRecord, tries?: readonly Try[]): void
  /** Returns the sums of the last 24 hours, exact to an hour, including those that are not written yet. */
  ofDay(): Promise<RouteSum[]>
  write(): Promise<void>
  close(): Promise<void>
}

/** The period of a sum. */
const SPAN_S = 3_600
const DAY_S = 24 * SPAN_S

/** A crash loses the attempts of this time at most. */
const WRITE_EVERY_MS = 10_000
/** The limit while sums cannot be written: more than the routes of any catalogue have in several hours. */
const MAX_UNWRITTEN = 20_000

interface Unwritten extends RouteSum {
  /** The start of the hour. */
  start_s: number
}

/** Opens the sums of a gateway. They are written without waiting for the disk, because no money depends on them. */
export function openRouteSums(
  db: Db,
  { now, log }: { now: () => number; log: Pick<Logger, 'warn'> },
): RouteSums {
  let unwritten = new UnwrittenSums()
  /** The sums that are being written. */
  let taken = new UnwrittenSums()
  let writing: Promise<void> = Promise.resolve()
  /** Whether the last write failed, so that the warning is logged once. */
  let is_failing = false
  const startOf = (time_ms: number) => Math.floor(time_ms / 1_000 / SPAN_S) * SPAN_S
  const firstStart = () => startOf(now() - DAY_S * 1_000)

  async function writeAll(tx: Db, sums: readonly Unwritten[]): Promise<void> {
    const { add, sweep } = queries(tx)
    for (const sum of sums) await add.run({ ...sum, span_s: SPAN_S })
    await addModelDays(tx, sums, now())
    await sweep.run({ start_s: firstStart() })
  }

  async function write(): Promise<void> {
    if (unwritten.size === 0) return
    taken = unwritten
    unwritten = new UnwrittenSums()
    try {
      await db.begin((tx) => writeAll(tx, taken.all()), { durable: false })
      is_failing = false
    } catch (cause) {
      for (const sum of unwritten.all()) taken.addSum(sum)
      unwritten = taken
      if (!is_failing) log.warn({ cause }, 'sums of attempts at routes could not be written; retrying')
      is_failing = true
    }
    taken = new UnwrittenSums()
  }

  /** Runs writes one after the other. */
  function writeNext(): Promise<void> {
    writing = writing.then(write)
    return writing
  }

  const timer = setInterval(() => void writeNext(), WRITE_EVERY_MS)
  timer.unref()

  return {
    add(call, tries = triesOf(call)) {
      const start_s = startOf(call.started_at_ms + call.duration_ms)
      for (const one of tries) unwritten.add(start_s, call.model, one)
    },
    async ofDay() {
      const from_s = firstStart()
      const waiting = [...taken.all(), ...unwritten.all()].filter(({ start_s }) => start_s >= from_s)
      const stored = await queries(db).since.all({ span_s: SPAN_S, start_s: from_s })
      return [...stored, ...waiting]
    },
    write: writeNext,
    close() {
      clearInterval(timer)
      return writeNext()
    },
  }
}

class UnwrittenSums {
  /** By model, because a model has few sums: a combined key would have to be built for each call. */
  readonly #of_models = new Map<string, Unwritten[]>()
  size = 0

  all = (): Unwritten[] => [...this.#of_models.values()].flat()

  add(start_s: number, model: string, tried: Try): void {
    const sum = this.#sumOf(start_s, model, tried)
    if (!sum) return
    sum.tries++
    if (tried.is_last) sum.calls++
    sum.first_byte_ms += tried.first_byte_ms
  }

  addSum({ start_s, model, tries, calls, first_byte_ms, ...route }: Unwritten): void {
    const sum = this.#sumOf(start_s, model, route)
    if (!sum) return
    sum.tries += tries
    sum.calls += calls
    sum.first_byte_ms += first_byte_ms
  }

  /** @returns undefined if the limit is reached */
  #sumOf(
    start_s: number,
    model: string,
    { provider, upstream_model, result }: Pick<Try, 'provider' | 'upstream_model' | 'result'>,
  ): Unwritten | undefined {
    const of_model = this.#of_models.get(model) ?? []
    let sum = of_model.findLast(
      (known) =>
        known.start_s === start_s &&
        known.result === result &&
        known.provider === provider &&
        known.upstream_model === upstream_model,
    )
    if (!sum) {
      if (this.size >= MAX_UNWRITTEN) return undefined
      sum = { start_s, model, provider, upstream_model, result, tries: 0, calls: 0, first_byte_ms: 0 }
      if (of_model.push(sum) === 1) this.#of_models.set(model, of_model)
      this.size += 1
    }
    return sum
  }
}

const added = (column: 'tries' | 'calls' | 'first_byte_ms') =>
  sql.raw(`route_sums.${column} + excluded.${column}`)

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
        target: bareColumns('span_s', 'start_s', 'model', 'provider', 'upstream_model', 'result'),
        set: { tries: added('tries'), calls: added('calls'), first_byte_ms: added('first_byte_ms') },
      }),
  // Of any span: earlier versions also stored sums of five minutes.
  sweep: (orm) => orm.delete(route_sums).where(lt(route_sums.start_s, placeholder('start_s'))),
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
        // No index by time: rows of one sum are adjacent in the order of the primary key, and nearly all of them are in the period.
        and(equals(route_sums.span_s, 'span_s'), sql`+${route_sums.start_s} >= ${placeholder('start_s')}`),
      )
      .groupBy(route_sums.model, route_sums.provider, route_sums.upstream_model, route_sums.result),
})
