// Facts about a PostgreSQL server and its database, for the doctor. Writes nothing.
import type { Gateway } from '../../schema.ts'
import { type Connection, SCHEMA } from './connection.ts'
import { versionOf } from './migrate.ts'
import { connect, type DatabaseLocation, faultsOfCollation, faultsOfServer, placeOf } from './open.ts'

export interface ExaminedServer {
  place: DatabaseLocation
  /** Such as 18.4. */
  version: string
  /** Why a gateway would not start, each with the remedy after a colon. */
  faults: readonly string[]
  /** The version of the tables; both numbers 0 without tables. */
  schema: Awaited<ReturnType<typeof versionOf>>
  rights: Rights
  /** The size of the whole database. */
  bytes: number
  /** The shortest of a few round trips. */
  round_trip_ms: number
  /** How far the server's clock is ahead of this machine's. */
  clock_ahead_ms: number
  /** Its setting synchronous_commit. */
  commit: string
  /** The state of each standby, from pg_stat_replication; null if this user may not see it. */
  standbys: readonly (string | null)[]
  dead_rows: readonly DeadRows[]
  /** The living gateways of the database, in the order of their starts. */
  gateways: readonly AliveGateway[]
}

export type AliveGateway = Pick<Gateway, 'id' | 'name' | 'version'>

interface Rights {
  /** Whether the next version can change the tables, or create missing ones. */
  may_migrate: boolean
  /** Tables that cannot be read or written. */
  refused: readonly string[]
}

/** The row counts of a frequently changed table, from the server's statistics. */
export interface DeadRows {
  table: string
  live: number
  dead: number
}

/**
 * @param url as for `openPostgres` @param now this machine's clock, in milliseconds since 1970
 * @throws as `openPostgres` if the server is unreachable or refuses the user
 */
export async function examineServer(url: string, now: () => number): Promise<ExaminedServer> {
  const place = placeOf(url)
  const connection = await connect(url, place)
  try {
    const schema = await versionOf(connection)
    const has_tables = schema.version > 0
    const faults = await faultsOfServer(connection, place, false)
    return {
      place,
      schema,
      faults: has_tables ? [...faults, ...(await faultsOfCollation(connection))] : faults,
      rights: await (has_tables ? rightsOn(connection) : rightsWithoutTables(connection)),
      ...(await clockOf(connection, now)),
      ...(await serverOf(connection)),
      dead_rows: await deadRowsIn(connection),
      gateways: await gatewaysOver(connection, schema.version),
    }
  } finally {
    await connection.close()
  }
}

const TABLES = `FROM pg_class WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind = 'r'`

async function rightsOn(connection: Connection): Promise<Rights> {
  const may = (right: string) => `has_table_privilege(oid, '${right}')`
  const all = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map(may).join(' AND ')
  const { rows } = await connection.ask(`SELECT relname ${TABLES} AND NOT (${all}) ORDER BY relname`)
  const owns = await connection.ask(
    `SELECT bool_and(pg_has_role(relowner, 'USAGE')) AND has_schema_privilege('${SCHEMA}', 'CREATE') ${TABLES}`,
  )
  return { may_migrate: owns.rows[0]?.[0] === 1, refused: rows.map(([name]) => String(name)) }
}

async function rightsWithoutTables(connection: Connection): Promise<Rights> {
  const { rows } = await connection.ask("SELECT has_database_privilege(current_database(), 'CREATE')")
  return { may_migrate: rows[0]?.[0] === 1, refused: [] }
}

const TRIES = 3

async function clockOf(connection: Connection, now: () => number) {
  let nearest = { round_trip_ms: Number.POSITIVE_INFINITY, clock_ahead_ms: 0 }
  for (let nth = 0; nth < TRIES; nth += 1) {
    const [sent_at_ms, began_ms] = [now(), performance.now()]
    const { rows } = await connection.ask('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint')
    const round_trip_ms = performance.now() - began_ms
    const clock_ahead_ms = Number(rows[0]?.[0]) - (sent_at_ms + round_trip_ms / 2)
    if (round_trip_ms < nearest.round_trip_ms) nearest = { round_trip_ms, clock_ahead_ms }
  }
  return nearest
}

async function serverOf(connection: Connection) {
  const { rows } = await connection.ask(
    "SELECT current_setting('server_version'), pg_database_size(current_database()), current_setting('synchronous_commit')",
  )
  const [version, bytes, commit] = rows[0] ?? []
  // A running base backup is not a standby.
  const standbys = await connection.ask(
    "SELECT sync_state FROM pg_stat_replication WHERE application_name <> 'pg_basebackup'",
  )
  return {
    // Some builds append more words.
    version: String(version).replace(/ .*/, ''),
    bytes: Number(bytes),
    commit: String(commit),
    standbys: standbys.rows.map(([state]) => (state === null ? null : String(state))),
  }
}

/** From this version of the tables on, gateways have names. */
const FIRST_NAMED = 28

async function gatewaysOver(connection: Connection, version: number): Promise<AliveGateway[]> {
  if (version < FIRST_NAMED) return []
  const { rows } = await connection.ask(
    `SELECT id, name, version FROM gateways
      WHERE ended_at_ms IS NULL AND seen_at_ms > now_ms() - 30000 ORDER BY id`,
  )
  return rows.map(([id, name, version]) => ({
    id: Number(id),
    name: String(name),
    version: String(version),
  }))
}

async function deadRowsIn(connection: Connection): Promise<DeadRows[]> {
  const { rows } = await connection.ask(
    `SELECT relname, n_live_tup, n_dead_tup FROM pg_stat_user_tables
      WHERE schemaname = '${SCHEMA}' AND relname IN ('accounts', 'keys') ORDER BY relname`,
  )
  return rows.map(([table, live, dead]) => ({ table: String(table), live: Number(live), dead: Number(dead) }))
}
