// Period of a report: a range up to now, or between two times.
import { invalidRequest } from '../../../src/domain/errors.ts'
import {
  type ComparedTime,
  comparedTime,
  DAY_MS,
  DEFAULT_REPORT_RANGE,
  lastDays,
  type ReportRange,
  reportTime,
} from '../../../src/domain/ranges.ts'
import type { Zone } from '../../../src/domain/zones.ts'
import { QUARTER_S } from '../../../src/money/ledger/days.ts'

/** A year, and an equal period before it for the comparison. */
const MAX_DAYS = 400

/** Kept sums are of whole quarters of an hour, so steps begin and end at one. */
const QUARTER_MS = QUARTER_S * 1_000
const quarterFrom = (time_ms: number): number => Math.ceil(time_ms / QUARTER_MS) * QUARTER_MS

interface RequestedTime {
  range?: ReportRange | undefined
  since_ms?: number | undefined
  until_ms?: number | undefined
}

/**
 * Returns the requested period in whole quarters of an hour, up to now at most. Without `since` it has the days of the default range, up to `until`.
 * @throws GatewayError invalid_request for a range together with other times, times in the wrong order, or more than `MAX_DAYS` days
 */
export function timeOf(
  { range, since_ms, until_ms }: RequestedTime,
  now_ms: number,
  zone: Zone,
): ComparedTime {
  if (since_ms === undefined && until_ms === undefined)
    return reportTime(range ?? DEFAULT_REPORT_RANGE, now_ms, zone)
  if (range !== undefined)
    throw invalidRequest('range: give it, or since and until, not both.', { param: 'range' })
  const end_ms = Math.min(until_ms === undefined ? now_ms + 1 : quarterFrom(until_ms), now_ms + 1)
  const from_ms =
    since_ms === undefined
      ? lastDays(end_ms - 1, Number(DEFAULT_REPORT_RANGE), zone).from_ms
      : Math.floor(since_ms / QUARTER_MS) * QUARTER_MS
  if (from_ms >= end_ms) throw invalidRequest('since: must be before until and now.', { param: 'since' })
  if (end_ms - from_ms > MAX_DAYS * DAY_MS)
    throw invalidRequest(`since: must be at most ${MAX_DAYS} days before until.`, { param: 'since' })
  return comparedTime({ from_ms, until_ms: end_ms }, zone)
}
