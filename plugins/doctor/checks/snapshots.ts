// The check of snapshots on a PostgreSQL server: none is so old that calls pass all versions of their rows since.
import { type Diagnosis, diagnosesOf } from '../../../src/app/checks/check.ts'
import { HOUR_MS } from '../../../src/domain/ranges.ts'
import type { Db } from '../../../src/store/db.ts'
import { type OldestSnapshot, snapshotsOn } from '../../../src/store/engines/postgres/snapshots.ts'
import { counted } from '../../../src/utilities/counted.ts'

const { ok, warn } = diagnosesOf('snapshots')

const MINUTE_MS = 60_000
const MAX_AGE_MS = HOUR_MS

/** @returns none where the rows are in a file */
export async function checkSnapshots({ db }: { db: Db }): Promise<Diagnosis[]> {
  if (db.file) return []
  return [diagnosisOf(await snapshotsOn(db))]
}

export function diagnosisOf({ oldest, hidden }: Awaited<ReturnType<typeof snapshotsOn>>): Diagnosis {
  const unseen =
    hidden === 0 ? '' : `; ${counted(hidden, 'session')} of other users cannot be seen into${RIGHT}`
  if (!oldest) return ok(`none is open${unseen}`)
  const found = `the oldest is ${ageText(oldest.age_ms)} old`
  if (oldest.age_ms <= MAX_AGE_MS) return ok(`${found}${unseen}`)
  return warn(`${found}, of ${nameOf(oldest)}${unseen}`, adviceOf(oldest))
}

const RIGHT = ' (GRANT pg_read_all_stats)'

const nameOf = ({ user, application, pid }: OldestSnapshot): string =>
  `${user}${application === '' ? '' : ` (${application})`}, process ${pid}`

const adviceOf = ({ pid }: OldestSnapshot): string =>
  'Each call takes longer until it ends. Wait for the end of a backup, an audit or an export, or end it by ' +
  `SELECT pg_terminate_backend(${pid}). Make large copies on a standby without hot_standby_feedback.`

function ageText(age_ms: number): string {
  if (age_ms < 2 * MINUTE_MS) return `${Math.round(age_ms / 1_000)} s`
  if (age_ms < 2 * HOUR_MS) return `${Math.floor(age_ms / MINUTE_MS)} min`
  return `${Math.floor(age_ms / HOUR_MS)} h`
}
