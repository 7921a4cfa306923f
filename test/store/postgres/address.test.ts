// The address of a database: it alone counts, not the environment or a setting of the server, and clear text is never used by omission.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { faultOfTls, parseDatabaseAddress } from '../../../src/domain/database-address.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { retryUntilDone } from '../../support/eventually.ts'
import { administrator, databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { NATIVE } from '../../support/postgres-program.ts'
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts'
import { temporary } from '../../support/temporary.ts'

/** The user of the server if root runs the tests. */
const NOBODY = 65534

describe('a connection to', () => {
  const ALLOWED = [
    'postgres://me@127.0.0.1/db',
    'postgres://me@localhost/db',
    'postgres://me@[::1]:5433/db',
    'postgres://me@db.internal/db?sslmode=disable',
    'postgres://me@db.internal/db?sslmode=verify-full',
    'postgres://me@10.0.0.7/db?sslmode=require',
  ]
  test.each(ALLOWED)('%s may be opened', (url) => {
    const address = parseDatabaseAddress(url)
    expect(address && faultOfTls(address)).toBeUndefined()
  })

  const REFUSED: [url: string, fault: string][] = [
    [
      'postgres://me@db.internal/db',
      'has no sslmode, and db.internal is another machine: add ?sslmode=verify-full',
    ],
    ['postgres://me@10.0.0.7/db', 'has no sslmode'],
    ['postgres://me@127.0.0.1.example.com/db', 'has no sslmode'],
    ['postgres://me@[fe80::1]/db', 'has no sslmode'],
    ['postgres://me@db.internal/db?sslmode=', 'has no sslmode'],
    ['postgres://me@db.internal/db?SSLMODE=require', 'has no sslmode'],
    ['postgres://me@db.internal/db?sslmode=on', 'has an unknown sslmode'],
    ['postgres://me@127.0.0.1/db?sslmode=VERIFY-FULL', 'has an unknown sslmode'],
  ]
  test.each(REFUSED)('%s is refused before anything is sent', async (url, fault) => {
    await expect(openPostgres(url)).rejects.toThrow(`The address of the database ${fault}`)
  })
})

const { url: own_url } = await databaseOfFile()
const { url: other_url } = await databaseOfFile()
const nameIn = (url: string) => new URL(url).pathname.slice(1)

describe.if(hasPostgres)('a database', () => {
  const VARIABLES: [name: string, value: (other: string) => string][] = [
    ['PGDATABASE', (other) => other],
    ['PGHOST', () => 'nowhere.invalid'],
    ['PGPORT', () => '1'],
    ['PGUSER', () => 'nobody_knows'],
    ['PGPASSWORD', () => 'wrong'],
    ['PGOPTIONS', () => '-c default_transaction_read_only=on'],
    ['PGSSLMODE', () => 'verify-full'],
    ['PGCHANNELBINDING', () => 'require'],
    ['DATABASE_URL', (other) => `postgres://nobody_knows@nowhere.invalid/${other}`],
    ['TLS_DATABASE_URL', (other) => `postgres://nobody_knows@nowhere.invalid/${other}`],
  ]
  test.each(VARIABLES)('is the one of the address, whatever %s says', async (name, value) => {
    const before = process.env[name]
    process.env[name] = value(nameIn(other_url))
    try {
      await using db = await openPostgres(own_url)
      for (const read of [db.rows.bind(db), (text: string) => db.write((db) => db.rows(text))])
        expect(await read('SELECT current_database()::text AS name')).toEqual([{ name: nameIn(own_url) }])
    } finally {
      if (before === undefined) delete process.env[name]
      else process.env[name] = before
    }
  })

  test.each([
    [
      '?sslmode=verify-full&sslrootcert=/nowhere/ca.pem',
      'The file /nowhere/ca.pem in the address of the database (sslrootcert) cannot be read',
    ],
    ['?sslmode=require', 'does not encrypt connections: set ssl = on there'],
  ])('whose address has %s is refused with a message that names it', async (parameters, message) => {
    await expect(openPostgres(own_url + parameters)).rejects.toThrow(message)
  })

  test('that is set to read-only is refused, can be opened for reading, and is served once that is reset', async () => {
    const [name, url] = [nameIn(own_url), own_url]
    const { sql } = await administrator()
    const set = (value: string) =>
      sql.unsafe(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`)
    await run(url, 'CREATE TABLE tollgate.schema_probe (id bigint)')
    await using running = await openPostgres(url)
    await set('on')
    await expect(openPostgres(url)).rejects.toThrow(
      'is set to be read only (default_transaction_read_only = on)',
    )
    await (await openPostgres(url, { readonly: true })).close()
    // Its connection for writes is new.
    const write = () => running.write((db) => db.rows('INSERT INTO schema_probe VALUES (1)'))
    await expect(write()).rejects.toMatchObject({ trouble: 'read_only' })
    await set('off')
    await write()
  })
})

async function run(url: string, text: string): Promise<unknown[]> {
  await using sql = new SQL({ url, max: 1 })
  return await sql.unsafe(text)
}

describe.if(NATIVE !== undefined)('a server with a certificate of a CA of its own', () => {
  const folder = temporary()
  chmodSync(folder.path, 0o755)
  const [certificate, key] = ['database.pem', 'database.key'].map((name) => {
    cpSync(join(import.meta.dir, '../../fixtures/tls', name), folder.at(name))
    // PostgreSQL reads no key that others can read, or that another user owns.
    chmodSync(folder.at(name), 0o600)
    if (process.geteuid?.() === 0) chownSync(folder.at(name), NOBODY, NOBODY)
    return folder.at(name)
  })
  const settings = ['ssl=on', `ssl_cert_file=${certificate}`, `ssl_key_file=${key}`]
  let server: PostgresServer
  const portOf = () => new URL(server.url).port
  const at = (host: string, how: string) => `postgres://tollgate@${host}:${portOf()}/postgres${how}`
  const isEncrypted = async (url: string) => {
    await using db = await openPostgres(url)
    return (await db.rows('SELECT ssl::int AS ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()'))[0]
  }

  beforeAll(async () => {
    server = await startPostgres(NATIVE ?? '', settings)
    await retryUntilDone('it answers', () => run(server.url, 'SELECT 1'))
  })
  afterAll(async () => {
    await server[Symbol.asyncDispose]()
    folder[Symbol.dispose]()
  })

  test.each([
    ['localhost', `?sslmode=verify-full&sslrootcert=${certificate}`, 1],
    ['127.0.0.1', `?sslmode=verify-ca&sslrootcert=${certificate}`, 1],
    ['127.0.0.1', '?sslmode=require', 1],
    ['127.0.0.1', '', 0],
  ])('is served at %s with %p', async (host, how, ssl) => {
    expect(await isEncrypted(at(host, how))).toEqual({ ssl })
  })

  test.each([
    ['localhost', '?sslmode=verify-full'],
    ['localhost', '?sslmode=verify-ca'],
    ['127.0.0.1', `?sslmode=verify-full&sslrootcert=${certificate}`],
  ])('is refused at %s with %p', async (host, how) => {
    await expect(openPostgres(at(host, how))).rejects.toThrow(
      `The certificate of PostgreSQL at ${host}:${portOf()} cannot be trusted`,
    )
  })
})
