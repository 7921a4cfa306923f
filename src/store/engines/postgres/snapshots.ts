// The oldest snapshot that a transaction on the server has of the database: all versions of rows since are kept for it, and each call passes them.
import type { Statements } from '../../db.ts'

export interface OldestSnapshot {
  /** Since its transaction began. */
  age_ms: number
  /** The process of the server. */
  pid: number
  user: string
  application: string
}

interface Snapshots {
  oldest: OldestSnapshot | undefined
  /** Sessions of other users whose transactions this one may not see. */
  hidden: number
}

type Row = { [Field in keyof OldestSnapshot]: OldestSnapshot[Field] | null } & { hidden: number }

/** A transaction that has written keeps what was there when it began, as one that reads as of a moment does. The server's own work is left out. */
const OLDEST = `
  WITH others AS MATERIALIZED (
         SELECT * FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid())
  SELECT (SELECT count(*) FROM others WHERE query = '<insufficient privilege>') AS hidden, oldest.*
    FROM (SELECT 1) AS one LEFT JOIN (
         SELECT (extract(epoch FROM clock_timestamp() - xact_start) * 1000)::bigint AS age_ms, pid::bigint AS pid,
                usename::text AS "user", application_name AS application
           FROM others
          WHERE (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) AND xact_start IS NOT NULL AND backend_type <> 'autovacuum worker'
          ORDER BY xact_start LIMIT 1) AS oldest ON true`

/** @throws StorageFailure */
export async function snapshotsOn(db: Statements): Promise<Snapshots> {
  const [row] = await db.rows<Row>(OLDEST)
  if (!row) throw new Error('a count has no row')
  const { hidden, age_ms, pid, user, application } = row
  if (age_ms === null || pid === null) return { oldest: undefined, hidden }
  return { oldest: { age_ms, pid, user: user ?? '', application: application ?? '' }, hidden }
}
