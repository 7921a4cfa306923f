// When a scheduled backup is due: pure, by the clock, the last one and the last failure.
import { DAY_MS } from '../../../src/domain/ranges.ts'
import type { BackupSettings } from '../settings.ts'

type Schedule = NonNullable<BackupSettings['schedule']>

interface Known {
  /** When the schedule made its last one; undefined if it has made none. */
  last_made_at_ms: number | undefined
  /** When the last attempt failed; undefined if it did not. */
  last_failed_at_ms: number | undefined
  /** When the gateway was started. */
  started_at_ms: number
  now_ms: number
}

const MINUTE_MS = 60_000

/** A start has other things to do first. */
export const AFTER_START_MS = MINUTE_MS
export const RETRY_MS = 15 * MINUTE_MS

/**
 * When the next one is due, which may be past: one that was missed, because the gateway did not run, is made soon after the
 * start. A failed one is tried again a quarter of an hour later.
 */
export function nextDue(schedule: Schedule, reported: Known): number {
  const known = withoutFuture(reported)
  const { last_failed_at_ms, started_at_ms } = known
  const planned = Math.max(plannedAfter(schedule, known), started_at_ms + AFTER_START_MS)
  return last_failed_at_ms === undefined ? planned : Math.max(planned, last_failed_at_ms + RETRY_MS)
}

/** A time later than now comes from a clock that was ahead: waiting for it would end the schedule silently. */
function withoutFuture({ now_ms, started_at_ms, last_made_at_ms, last_failed_at_ms }: Known): Known {
  const past = (at_ms: number | undefined) => (at_ms !== undefined && at_ms > now_ms ? undefined : at_ms)
  return {
    now_ms,
    started_at_ms: Math.min(started_at_ms, now_ms),
    last_made_at_ms: past(last_made_at_ms),
    last_failed_at_ms: past(last_failed_at_ms),
  }
}

function plannedAfter(schedule: Schedule, { last_made_at_ms, started_at_ms }: Known): number {
  if ('every_ms' in schedule)
    return last_made_at_ms === undefined ? started_at_ms : last_made_at_ms + schedule.every_ms
  return nextTimeOfDay(schedule.at_minute, last_made_at_ms ?? started_at_ms)
}

/** The first time after a moment that a day of UTC has this minute. */
function nextTimeOfDay(at_minute: number, after_ms: number): number {
  const day_ms = Math.floor(after_ms / DAY_MS) * DAY_MS
  const at_ms = day_ms + at_minute * MINUTE_MS
  return at_ms > after_ms ? at_ms : at_ms + DAY_MS
}
