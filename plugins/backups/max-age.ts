// The age that the newest backup may reach before the operator is warned.
import type { BackupSettings } from '../../src/domain/catalogue.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** For the backup itself, and its attempts after a failure. */
const LATE_MS = 120 * MINUTE_MS
/** Without a schedule: by hand, or by another program. */
const MAX_AGE_BY_HAND_MS = 8 * DAY_MS

/** @param schedule undefined: by hand */
export function maxAgeOf(schedule: BackupSettings['schedule']): number {
  if (!schedule) return MAX_AGE_BY_HAND_MS
  return ('every_ms' in schedule ? schedule.every_ms : DAY_MS) + LATE_MS
}
