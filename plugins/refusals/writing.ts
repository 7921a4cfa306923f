// Writes of refused requests: a bounded number of rows, sums of all, and the deletion of both after their time.
import { sql } from 'drizzle-orm'
import type { Db } from '../../src/store/db.ts'
import { bareColumns, equals, placeholder, placeholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { type RefusalRow, refusal_sums, refusals } from './tables.ts'

/** The spans of the sums, in seconds. */
export const MINUTE_S = 60
export const HOUR_S = 3_600

/** A count of refusals by one key, with one code, within a minute. */
export interface CountedRefusals {
  account_id: number
  key_id: number
  minute_s: number
  code: string
  refusals: number
}

/** Sums per account and span. Further keys and codes are added to one sum without key and code. */
const MAX_SUMS_A_SPAN = 200
const ANY_KEY = 0
const OTHER = 'other'

const KEPT_MS = 30 * 86_400_000
const MINUTES_KEPT_MS = 3 * 3_600_000
const ROWS_AT_ONCE = 1_000

const sum_of = sql`${refusal_sums.span_s} = ${placeholder('span_s')} AND ${equals(refusal_sums.account_id, 'account_id')} AND ${equals(refusal_sums.start_s, 'start_s')}`

const queries = perConnection({
  add: (orm) =>
    orm
      .update(refusal_sums)
      .set({ refusals: sql`${refusal_sums.refusals} + ${placeholder('refusals')}` })
      .where(
        sql`${sum_of} AND ${equals(refusal_sums.key_id, 'key_id')} AND ${equals(refusal_sums.code, 'code')}`,
      )
      .returning({ refusals: refusal_sums.refusals }),
  /** An upsert, because another gateway may insert the same row at the same time. */
  insert: (orm) =>
    orm
      .insert(refusal_sums)
      .values(placeholders('span_s', 'account_id', 'start_s', 'key_id', 'code', 'refusals'))
      .onConflictDoUpdate({
        target: bareColumns('span_s', 'account_id', 'start_s', 'key_id', 'code'),
        set: { refusals: sql.raw('refusal_sums.refusals + excluded.refusals') },
      }),
  sumsOf: (orm) => orm.select({ count: sql<number>`count(*)` }).from(refusal_sums).where(sum_of),
  record: (orm) =>
    orm
      .insert(refusals)
      .values(
        placeholders(
          'account_id',
          'key_id',
          'request_id',
          'at_ms',
          'surface',
          'model',
          'status',
          'code',
          'sentence',
        ),
      ),
  recordedSince: (orm) =>
    orm
      .select({ count: sql<number>`count(*)` })
      .from(refusals)
      .where(
        sql`${equals(refusals.account_id, 'account_id')} AND ${refusals.at_ms} >= ${placeholder('since_ms')} AND ${equals(refusals.code, 'code')}`,
      ),
  expire: (orm) =>
    orm
      .delete(refusals)
      .where(
        sql`${refusals.id} IN (SELECT id FROM ${refusals} WHERE at_ms < ${placeholder('before_ms')} ORDER BY at_ms LIMIT ${placeholder('row_limit')})`,
      ),
  expireSums: (orm) =>
    orm
      .delete(refusal_sums)
      .where(
        sql`${equals(refusal_sums.span_s, 'span_s')} AND ${refusal_sums.start_s} < ${placeholder('before_s')}`,
      ),
})

/** Adds counts to the sums of their minute and hour. Within a transaction. */
export async function addSums(tx: Db, counted: readonly CountedRefusals[]): Promise<void> {
  for (const { minute_s, key_id, ...one } of counted) {
    await addSum(tx, { ...one, span_s: MINUTE_S, start_s: minute_s, key_id: ANY_KEY })
    await addSum(tx, { ...one, span_s: HOUR_S, start_s: minute_s - (minute_s % HOUR_S), key_id })
  }
}

async function addSum(tx: Db, sum: typeof refusal_sums.$inferSelect): Promise<void> {
  const { add, insert, sumsOf } = queries(tx)
  if (await add.get(sum)) return
  const { count = 0 } = (await sumsOf.get(sum)) ?? {}
  await insert.run(count < MAX_SUMS_A_SPAN ? sum : { ...sum, key_id: ANY_KEY, code: OTHER })
}

/** Inserts rows up to `max_an_hour` per account and code, including rows of other gateways. Within a transaction. */
export async function insertRefusals(
  tx: Db,
  rows: readonly Omit<RefusalRow, 'id'>[],
  max_an_hour: number,
): Promise<void> {
  const { record, recordedSince } = queries(tx)
  const left_in_hour = new Map<string, number>()
  for (const row of rows) {
    const { account_id, code, at_ms } = row
    const since_ms = at_ms - (at_ms % (HOUR_S * 1_000))
    const hour = `${account_id} ${since_ms} ${code}`
    const left =
      left_in_hour.get(hour) ??
      max_an_hour - ((await recordedSince.get({ account_id, code, since_ms }))?.count ?? 0)
    left_in_hour.set(hour, left - 1)
    if (left > 0) await record.run(row)
  }
}

/** Deletes expired rows and sums, a limited number of rows at once. Within a transaction. */
export async function expireRefusals(tx: Db, now_ms: number): Promise<void> {
  const { expire, expireSums } = queries(tx)
  await expire.run({ before_ms: now_ms - KEPT_MS, row_limit: ROWS_AT_ONCE })
  await expireSums.run({ span_s: HOUR_S, before_s: Math.floor((now_ms - KEPT_MS) / 1_000) })
  await expireSums.run({ span_s: MINUTE_S, before_s: Math.floor((now_ms - MINUTES_KEPT_MS) / 1_000) })
}
