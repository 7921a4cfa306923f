// Results of each model's calls by day (UTC) for 90 days: written with the sums of attempts, read by the status page.
import { asc, lt, sql } from 'drizzle-orm'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Db } from '../../src/store/db.ts'
import { bareColumns, placeholder, placeholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { model_days } from './tables.ts'
import { ANSWERED, REFUSED } from './tries.ts'

export const DAYS_KEPT = 90
const DAY_S = 86_400

/** Calls of a day, without calls that the provider refused as invalid, and calls whose caller disconnected before the first byte. */
export type ModelDay = typeof model_days.$inferSelect

interface SummedCalls {
  model: string
  result: string
  start_s: number
  calls: number
}

/** Adds sums to their days, and deletes days older than 90. */
export async function addModelDays(tx: Db, sums: readonly SummedCalls[], now_ms: number): Promise<void> {
  const days = new Map<string, ModelDay>()
  for (const { model, result, start_s, calls } of sums) {
    if (result === REFUSED || calls === 0) continue
    const day_s = Math.floor(start_s / DAY_S) * DAY_S
    const key = `${day_s} ${model}`
    const day = days.get(key) ?? { day_s, model, answered: 0, failed: 0 }
    day[result === ANSWERED ? 'answered' : 'failed'] += calls
    days.set(key, day)
  }
  const { add, sweep } = queries(tx)
  for (const day of days.values()) await add.run({ ...day })
  await sweep.run({ first_s: firstDay(now_ms) })
}

const firstDay = (now_ms: number): number => (Math.floor(now_ms / 1_000 / DAY_S) - DAYS_KEPT + 1) * DAY_S

/** Returns the days since a time, oldest first, without calls of about the last ten seconds. @param since_s in seconds since 1970 */
export const modelDays = async ({ db }: Pick<Gateway, 'db'>, since_s: number): Promise<readonly ModelDay[]> =>
  await queries(db).since.all({ since_s })

const queries = perConnection({
  add: (orm) =>
    orm
      .insert(model_days)
      .values(placeholders('day_s', 'model', 'answered', 'failed'))
      .onConflictDoUpdate({
        target: bareColumns('day_s', 'model'),
        set: {
          answered: sql.raw('model_days.answered + excluded.answered'),
          failed: sql.raw('model_days.failed + excluded.failed'),
        },
      }),
  sweep: (orm) => orm.delete(model_days).where(lt(model_days.day_s, placeholder('first_s'))),
  since: (orm) =>
    orm
      .select()
      .from(model_days)
      .where(sql`${model_days.day_s} >= ${placeholder('since_s')}`)
      .orderBy(asc(model_days.day_s), asc(model_days.model)),
})
