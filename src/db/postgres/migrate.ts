// The tables of a database on PostgreSQL, brought to this program's: numbered as the migrations of SQLite, each applied once.
// Imported as text, so that they are part of the compiled binary.
import several_gateways from './0028_several_gateways.sql' with { type: 'text' }
import bucket_marks from './0029_bucket_marks.sql' with { type: 'text' }
import base from './base.sql' with { type: 'text' }
import { type Connection, SCHEMA } from './connection.ts'

interface Migration {
  /** That of SQLite's migration which does the same. */
  version: number
  sql: string
  /** What a program must know at least to go on with the tables that it leaves. */
  readable_from: number
}

/** In order. The first makes all tables as they were on SQLite then. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 27, sql: base, readable_from: 27 },
  { version: 28, sql: several_gateways, readable_from: 28 },
  { version: 29, sql: bucket_marks, readable_from: 28 },
]

export const NEWEST = MIGRATIONS.at(-1)?.version ?? 0

/** Held while the tables change. Any number, always the same. */
const LOCK = 7_261_483

interface Version {
  version: number
  readable_from: number
}

/**
 * Applies the migrations that a database lacks, all or none. Two programs may do this at once: one waits for the other.
 *
 * @returns how many this call applied @throws Error when a newer program changed the tables; StatementError; StorageFailure
 */
export async function migrate(connection: Connection): Promise<number> {
  if ((await versionOf(connection)).version === NEWEST) return 0
  return await connection.patiently(async () => {
    await connection.script(
      `BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '600s'; SELECT pg_advisory_xact_lock(${LOCK})`,
    )
    try {
      const applied = await applyLacking(connection)
      await connection.ask('COMMIT')
      return applied
    } catch (thrown) {
      if (!connection.isLost) await connection.ask('ROLLBACK')
      throw thrown
    }
  })
}

async function applyLacking(connection: Connection): Promise<number> {
  const found = await versionOf(connection)
  refuseNewer(found)
  const lacking = MIGRATIONS.filter(({ version }) => version > found.version)
  if (found.version === 0) await connection.ask(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`)
  for (const { sql, version, readable_from } of lacking) {
    await connection.script(sql)
    await connection.ask(`UPDATE ${SCHEMA}.schema SET version = $1, readable_from = $2`, [
      version,
      readable_from,
    ])
  }
  return lacking.length
}

/** Both 0 where there are no tables. */
export async function versionOf(connection: Connection): Promise<Version> {
  const [[is_there] = []] = (await connection.ask('SELECT to_regclass($1) IS NOT NULL', [`${SCHEMA}.schema`]))
    .rows
  if (!is_there) return { version: 0, readable_from: 0 }
  const [[version, readable_from] = []] = (
    await connection.ask(`SELECT version, readable_from FROM ${SCHEMA}.schema`)
  ).rows
  return { version: Number(version), readable_from: Number(readable_from) }
}

/** @throws Error that names both versions and says what to do */
export function refuseNewer({ version, readable_from }: Version): void {
  if (readable_from <= NEWEST) return
  throw new Error(
    `The database is at version ${version}, and this program knows versions up to ${NEWEST}. ` +
      'A newer program wrote it: run that one, or restore an older backup.',
  )
}

/** @throws Error that says what to do */
export function refuseOlder({ version }: Version): void {
  if (version >= NEWEST) return
  throw new Error(
    `The database is at version ${version}, and this program reads version ${NEWEST}. ` +
      'Start the gateway with this program: that brings it up to date.',
  )
}
