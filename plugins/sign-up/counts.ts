// Counters of sign-ups, shared by all gateways: rows of the database, each for one hour or day in UTC.
import { and, lte, sql } from 'drizzle-orm'
import { DAY_MS, HOUR_MS } from '../../src/domain/ranges.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import { bareColumns, equals, placeholder, placeholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { type CountKind, sign_up_counts } from './tables.ts'

const queries = perConnection({
  add: (orm) =>
    orm
      .insert(sign_up_counts)
      .values({ ...placeholders('kind', 'subject', 'until_ms'), count: 1 })
      .onConflictDoUpdate({
        target: bareColumns('kind', 'subject', 'until_ms'),
        set: { count: sql`${sign_up_counts.count} + 1` },
      })
      .returning({ count: sign_up_counts.count }),
  find: (orm) =>
    orm
      .select({ count: sign_up_counts.count })
      .from(sign_up_counts)
      .where(
        and(
          equals(sign_up_counts.kind, 'kind'),
          equals(sign_up_counts.subject, 'subject'),
          equals(sign_up_counts.until_ms, 'until_ms'),
        ),
      ),
  sweep: (orm) => orm.delete(sign_up_counts).where(lte(sign_up_counts.until_ms, placeholder('now_ms'))),
})

/** A counter: its subject, and the end of its time window. */
export interface Counter {
  kind: CountKind
  subject: string
  until_ms: number
}

/** @param subject any text that identifies it; may be a hash */
export const thisDay = (kind: CountKind, subject: string, now_ms: number): Counter => ({
  kind,
  subject,
  until_ms: (Math.floor(now_ms / DAY_MS) + 1) * DAY_MS,
})

export const thisHour = (kind: CountKind, subject: string, now_ms: number): Counter => ({
  kind,
  subject,
  until_ms: (Math.floor(now_ms / HOUR_MS) + 1) * HOUR_MS,
})

/** Increments a counter in the caller's transaction. Others that increment it wait for the end of the transaction. @returns the new count */
export async function addOne(tx: Tx, counter: Counter): Promise<number> {
  const row = await queries(tx).add.get({ ...counter })
  if (!row) throw new Error('a count returned no row')
  return row.count
}

export async function countOf(db: Db, counter: Counter): Promise<number> {
  return (await queries(db).find.get({ ...counter }))?.count ?? 0
}

/** Deletes counters whose time window has ended. */
export async function sweepCounts(db: Db, now_ms: number): Promise<void> {
  await db.write((db) => queries(db).sweep.run({ now_ms }))
}
