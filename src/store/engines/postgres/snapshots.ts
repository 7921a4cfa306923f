// The oldest snapshots that anything on the server has of the database: all versions of rows since are kept for it, and each call passes them.
import type { Statements } from '../../db.ts'

/** A transaction of a session, one that was prepared and not ended, a replication slot, or a standby that reports what it reads. */
type HolderKind = 'session' | 'prepared' | 'slot' | 'standby'

export interface OldestSnapshot {
  kind: HolderKind
  /** Since its transaction began or was prepared, or its slot lost its standby; null where the server does not say. */
  age_ms: number | null
  /** Begun on the server since, in any database. */
  transactions: number
  /** Of the transaction or slot; the number of the process. */
  name: string
  /** Empty for a slot. */
  user: string
  application: string
}

export interface Snapshots {
  /** By its age. */
  oldest: OldestSnapshot | undefined
  /** By its transactions, of those whose age the server does not say. */
  undated: OldestSnapshot | undefined
  /** Sessions of other users whose transactions this one may not see. */
  hidden: number
}

type Row = { [Field in keyof OldestSnapshot]: OldestSnapshot[Field] | null } & { hidden: number }

/**
 * A transaction that has written keeps what was there when it began, as one that reads as of a moment does. The server's own work is left out,
 * and so is the catalog_xmin of logical slots, for which versions in system tables alone are kept. Versions before 17 do not say since when a
 * slot has no standby.
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
