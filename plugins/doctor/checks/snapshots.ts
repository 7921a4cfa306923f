// The check of snapshots on a PostgreSQL server: an old snapshot keeps dead row versions, which slow down every call.
import { type Diagnosis, diagnosesOf } from '../../../src/app/checks/check.ts'
import { HOUR_MS } from '../../../src/domain/ranges.ts'
import type { Db } from '../../../src/store/db.ts'
import {
  type OldestSnapshot,
  type Snapshots,
  snapshotsOn,
} from '../../../src/store/engines/postgres/snapshots.ts'
import { counted } from '../../../src/utilities/counted.ts'

const { ok, warn } = diagnosesOf('snapshots')

const MINUTE_MS = 60_000
const MAX_AGE_MS = HOUR_MS
/** The limit for a snapshot of unknown age: an hour at 28 calls a second. A standby reports its oldest snapshot every ten seconds. */
const MAX_TRANSACTIONS = 100_000

/** @returns no diagnosis if the database is a file */
export async function checkSnapshots({ db }: { db: Db }): Promise<Diagnosis[]> {
  if (db.file) return []
  return [diagnosisOf(await snapshotsOn(db))]
}

export function diagnosisOf({ oldest, undated, hidden }: Snapshots): Diagnosis {
  const unseen =
    hidden === 0 ? '' : `; ${counted(hidden, 'session')} of other users could not be inspected${RIGHT}`
  const old = [oldest, undated].find(isOld)
  if (old) return warn(`the oldest is ${ageOf(old)} old, of ${nameOf(old)}${unseen}`, adviceOf(old))
  const young = oldest ?? undated
  return ok(young ? `the oldest is ${ageOf(young)} old${unseen}` : `none is open${unseen}`)
}

const isOld = (snapshot: OldestSnapshot | undefined): snapshot is OldestSnapshot =>
  snapshot !== undefined &&
  (snapshot.age_ms === null ? snapshot.transactions > MAX_TRANSACTIONS : snapshot.age_ms > MAX_AGE_MS)

const RIGHT = ' (GRANT pg_read_all_stats)'

function nameOf({ kind, name, user, application }: OldestSnapshot): string {
  const program = application === '' ? '' : ` (${application})`
  switch (kind) {
    case 'session':
      return `${user}${program}, process ${name}`
    case 'standby':
      return `a standby${program}, process ${name}`
    case 'prepared':
      return `the prepared transaction "${name}" of ${user}`
    case 'slot':
      return `the replication slot "${name}"`
  }
}

const SLOWER = 'Each call takes longer until it ends.'

function adviceOf({ kind, name }: OldestSnapshot): string {
  switch (kind) {
    case 'session':
      return (
        `${SLOWER} Wait for the end of a backup, an audit or an export, or end it by SELECT pg_terminate_backend(${name}). ` +
        'Make large copies on a standby without hot_standby_feedback.'
      )
    case 'standby':
      return `${SLOWER} End the long query on the standby, or set hot_standby_feedback = off there.`
    case 'prepared':
      return `${SLOWER} The gateway does not prepare transactions. If the program that prepared it will not finish it, run ROLLBACK PREPARED ${literal(name)}, in this database.`
    case 'slot':
      return (
        `${SLOWER} If its standby is running, end the long query there, or set hot_standby_feedback = off. ` +
        `If it will not come back: SELECT pg_drop_replication_slot(${literal(name)}).`
      )
  }
}

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

const ageOf = ({ age_ms, transactions }: OldestSnapshot): string =>
  age_ms === null ? counted(transactions, 'transaction') : ageText(age_ms)

function ageText(age_ms: number): string {
  if (age_ms < 2 * MINUTE_MS) return `${Math.round(age_ms / 1_000)} s`
  if (age_ms < 2 * HOUR_MS) return `${Math.floor(age_ms / MINUTE_MS)} min`
  return `${Math.floor(age_ms / HOUR_MS)} h`
}
