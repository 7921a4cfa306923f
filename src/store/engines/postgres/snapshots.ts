// The oldest snapshots of the database on the server. All row versions since then are kept for them, and each call must pass these.
import type { Statements } from '../../db.ts'

/** A session's transaction, a prepared transaction, a replication slot, or a standby that reports its reads. */
type HolderKind = 'session' | 'prepared' | 'slot' | 'standby'

export interface OldestSnapshot {
  kind: HolderKind
  /** The time since its transaction began or was prepared, or its slot lost its standby; null if the server does not report it. */
  age_ms: number | null
  /** The transactions since then, in any database of the server. */
  transactions: number
  /** The name of the transaction or slot, or the number of the process. */
  name: string
  /** Empty for a slot. */
  user: string
  application: string
}

export interface Snapshots {
  /** The oldest by age. */
  oldest: OldestSnapshot | undefined
  /** The oldest by transactions, of those whose age the server does not report. */
  undated: OldestSnapshot | undefined
  /** Sessions of other users whose transactions this user may not see. */
  hidden: number
}

type Row = { [Field in keyof OldestSnapshot]: OldestSnapshot[Field] | null } & { hidden: number }

/**
 * A transaction that has written keeps all row versions since its start, like a snapshot. The server's own work is left out, and so is
 * the catalog_xmin of logical slots, which only keeps versions in system tables. Versions before 17 do not report since when a slot
 * has no standby.
 */
const OLDEST = `
  WITH others AS MATERIALIZED (
         SELECT * FROM pg_stat_activity
          WHERE (datname = current_database() OR backend_type = 'walsender') AND pid <> pg_backend_pid()),
       holders AS (
         SELECT CASE backend_type WHEN 'walsender' THEN 'standby' ELSE 'session' END AS kind, xact_start AS since,
                greatest(age(backend_xmin), age(backend_xid)) AS transactions, pid::text AS name, usename::text AS "user", application_name AS application
           FROM others
          WHERE (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL) AND backend_type <> 'autovacuum worker'
            AND (xact_start IS NOT NULL OR backend_type = 'walsender')
          UNION ALL
         SELECT 'prepared', prepared, age(transaction), gid, owner::text, ''
           FROM pg_prepared_xacts WHERE database = current_database()
          UNION ALL
         SELECT 'slot', (to_jsonb(slots) ->> 'inactive_since')::timestamptz, age(xmin), slot_name::text, '', ''
           FROM pg_replication_slots AS slots WHERE xmin IS NOT NULL)
  SELECT (SELECT count(*) FROM others WHERE query = '<insufficient privilege>') AS hidden, oldest.*
    FROM (SELECT 1) AS one LEFT JOIN (
         SELECT DISTINCT ON (since IS NULL) kind, (extract(epoch FROM clock_timestamp() - since) * 1000)::bigint AS age_ms,
                holders.transactions::bigint AS transactions, name, "user", application
           FROM holders ORDER BY since IS NULL, since, holders.transactions DESC) AS oldest ON true`

/** @throws StorageFailure */
export async function snapshotsOn(db: Statements): Promise<Snapshots> {
  const rows = await db.rows<Row>(OLDEST)
  const snapshots: Snapshots = { oldest: undefined, undated: undefined, hidden: rows[0]?.hidden ?? 0 }
  for (const { kind, age_ms, transactions, name, user, application } of rows) {
    if (kind === null || transactions === null || name === null) continue
    const of = age_ms === null ? 'undated' : 'oldest'
    snapshots[of] = { kind, age_ms, transactions, name, user: user ?? '', application: application ?? '' }
  }
  return snapshots
}
