// The due time of scheduled backups, computed from the clock, the last backup and the last failure. Pure.
import { DAY_MS } from '../../../src/domain/ranges.ts'
import type { BackupSettings } from '../settings.ts'

type Schedule = NonNullable<BackupSettings['schedule']>

interface Times {
  /** The time of the last scheduled backup; undefined if none exists. */
  last_made_at_ms: number | undefined
  /** The time of the last attempt if it failed; otherwise undefined. */
  last_failed_at_ms: number | undefined
  /** The start of the gateway. */
  started_at_ms: number
  now_ms: number
}

const MINUTE_MS = 60_000

/** Gives the start time for its other work. */
export const AFTER_START_MS = MINUTE_MS
export const RETRY_MS = 15 * MINUTE_MS

/**
 * The due time of the next backup, which may be past. A backup that was missed while the gateway did not run is made soon after the
 * start. A failed backup is repeated after 15 minutes.
 */
export function nextDue(schedule: Schedule, reported: Times): number {
  const known = withoutFuture(reported)
  const { last_failed_at_ms, started_at_ms } = known
  const planned = Math.max(plannedAfter(schedule, known), started_at_ms + AFTER_START_MS)
  return last_failed_at_ms === undefined ? planned : Math.max(planned, last_failed_at_ms + RETRY_MS)
}

/** Drops times later than now, which come from a clock that was ahead: waiting for them would stop the schedule silently. */
function withoutFuture({ now_ms, started_at_ms, last_made_at_ms, last_failed_at_ms }: Times): Times {
  const past = (at_ms: number | undefined) => (at_ms !== undefined && at_ms > now_ms ? undefined : at_ms)
  return {
    now_ms,
    started_at_ms: Math.min(started_at_ms, now_ms),
    last_made_at_ms: past(last_made_at_ms),
    last_failed_at_ms: past(last_failed_at_ms),
  }
}

function plannedAfter(schedule: Schedule, { last_made_at_ms, started_at_ms }: Times): number {
  if ('every_ms' in schedule)
    return last_made_at_ms === undefined ? started_at_ms : last_made_at_ms + schedule.every_ms
  return nextTimeOfDay(schedule.at_minute, last_made_at_ms ?? started_at_ms)
}

/** The first occurrence of a minute of the UTC day after a given time. */
function nextTimeOfDay(at_minute: number, after_ms: number): number {
  const day_ms = Math.floor(after_ms / DAY_MS) * DAY_MS
  const at_ms = day_ms + at_minute * MINUTE_MS
  return at_ms > after_ms ? at_ms : at_ms + DAY_MS
}
