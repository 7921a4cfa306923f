// Ranges of whole days (UTC) in queries: the last few, or from one day to another.
import { Type } from '@sinclair/typebox'
import { invalidRequest } from '../../../src/domain/errors.ts'
import { DAY_MS, dayStart, lastDays, type TimeRange } from '../../../src/domain/ranges.ts'
import { WholeNumber } from '../../../src/http/parameters.ts'
import { readPeriod } from '../../../src/http/period.ts'

const DEFAULT_DAYS = 30
/** A year, and the days before it to compare with. */
const MAX_DAYS = 400

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', must: 'a day such as 2026-12-31, in UTC' })

export const DAY_RANGE = {
  days: Type.Optional(
    WholeNumber({ minimum: 1, maximum: MAX_DAYS }, `a whole number of days from 1 to ${MAX_DAYS}`),
  ),
  since: Type.Optional(Day),
  until: Type.Optional(Day),
}

interface DayRange {
  days?: number | undefined
  since?: string | undefined
  until?: string | undefined
}

/**
 * The time range of a query: from `since` to `until`, both counted; without `until` up to today, without `since` so many
 * days up to the last one.
 *
 * @throws GatewayError invalid_request for days that do not exist, in the wrong order, or more than `MAX_DAYS` of them
 */
export function daysOf({ days = DEFAULT_DAYS, since, until }: DayRange, now_ms: number): TimeRange {
  const { since_ms, until_ms } = readPeriod({ ...(since && { since }), ...(until && { until }) })
  const end_ms = until_ms ?? lastDays(now_ms, 1).until_ms
  const from_ms = since_ms ?? lastDays(dayStart(end_ms - 1), days).from_ms
  if (from_ms >= end_ms) throw invalidRequest('since: must not be after until or today.', { param: 'since' })
  if (end_ms - from_ms > MAX_DAYS * DAY_MS)
    throw invalidRequest(`since: must be at most ${MAX_DAYS} days before until.`, { param: 'since' })
  return { from_ms, until_ms: end_ms }
}
