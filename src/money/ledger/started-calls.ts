// The ids of calls that started in a time range, from the kept sums, and whether a call is recorded. Saves an index by request id for each call.
import { and, between, eq, gte, lte, max, min } from 'drizzle-orm'
import { timeOfRequestId } from '../../domain/request-id.ts'
import type { Db } from '../../store/db.ts'
import { equals, placeholder } from '../../store/placeholders.ts'
import { perConnection } from '../../store/prepared.ts'
import { call_sums, calls } from '../../store/schema.ts'
import { QUARTER_S } from './days.ts'

/** A range of call ids, inclusive. */
export interface IdRange {
  first_id: number
  last_id: number
}

/** A call begins within this time of its request's id: a moment later, unless the clock is set in between. */
const MINUTE_MS = 60_000

const queries = perConnection({
  range: (orm) =>
    orm
      .select({ first_id: min(call_sums.first_call_id), last_id: max(call_sums.last_call_id) })
      .from(call_sums)
      .where(
        and(
          eq(call_sums.span_s, QUARTER_S),
          gte(call_sums.start_s, placeholder('from_s')),
          lte(call_sums.start_s, placeholder('until_s')),
        ),
      ),
  recorded: (orm) =>
    orm
      .select({ id: calls.id })
      .from(calls)
      .where(
        and(
          between(calls.id, placeholder('first_id'), placeholder('last_id')),
          equals(calls.request_id, 'request_id'),
        ),
      )
      .limit(1),
})

/**
 * Returns the ids of calls that started in a time range, rounded to quarters of an hour, so that it includes some others.
 *
 * @returns undefined if no call started then
 */
export async function startedBetween(
  db: Db,
  from_ms: number,
  until_ms: number,
): Promise<IdRange | undefined> {
  const quarterOf = (time_ms: number) => Math.floor(time_ms / 1_000 / QUARTER_S) * QUARTER_S
  const range = await queries(db).range.get({ from_s: quarterOf(from_ms), until_s: quarterOf(until_ms) })
  if (!range || range.first_id === null || range.last_id === null) return undefined
  return { first_id: range.first_id, last_id: range.last_id }
}

/** Returns the ids for calls whose request id is, or begins with, a text; undefined also if the text contains no time. */
export async function startedWith(db: Db, request_id: string): Promise<IdRange | undefined> {
  const came_ms = timeOfRequestId(request_id)
  return came_ms === undefined
    ? undefined
    : await startedBetween(db, came_ms - MINUTE_MS, came_ms + MINUTE_MS)
}

/** Whether a call is recorded. @param started_at_ms the start of the call: a part of an answer may start long after its request arrived */
export async function isRecorded(db: Db, request_id: string, started_at_ms: number): Promise<boolean> {
  const range = await startedBetween(db, started_at_ms, started_at_ms)
  return range !== undefined && (await queries(db).recorded.get({ ...range, request_id })) !== undefined
}
