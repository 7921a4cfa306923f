// The opening of a database on PostgreSQL: refusals of servers and databases, with their messages, and the making of tables.
import { afterEach, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { MIGRATIONS, NEWEST } from '../../../src/store/engines/postgres/migrate.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { freePort } from '../../support/free-port.ts'
import { administrator, dropDatabase, hasPostgres, makeDatabase } from '../../support/postgres.ts'
import { startProxy } from '../../support/postgres-proxy.ts'

const ADDRESS = 'The address of the database must be postgres://USER:PASSWORD@HOST:PORT/DATABASE.'

test.each([
  '',
  'tollgate',
  'http://db/tollgate',
  'postgres://db',
  'postgres://db/',
  'postgres://db/tollgate',
  'mysql://db/tollgate',
])('%p is refused as an address', async (url) => {
  await expect(openPostgres(url)).rejects.toThrow(ADDRESS)
})

test('a server that does not listen is named, without the password', async () => {
  const host = `127.0.0.1:${freePort()}`
  const failure: Error = await openPostgres(`postgres://tollgate:secret@${host}/db`).then(
    () => new Error('opened'),
    (thrown) => thrown,
  )
  expect(failure).toMatchObject({ name: 'StorageFailure', trouble: 'unreachable' })
  expect(failure.message).toStartWith(`PostgreSQL at ${host} cannot be reached`)
  expect(Bun.inspect(failure)).not.toContain('secret')
})

describe.if(hasPostgres)('a database', () => {
  const made: string[] = []
  afterEach(async () => {
    for (const name of made.splice(0)) await dropDatabase(name)
  })
  const database = async (template?: 'template0') => {
    const own = await makeDatabase(template)
    made.push(own.name)
    return own
  }
  const run = async (url: string, text: string) => {
    await using sql = new SQL({ url, max: 1 })
    return await sql.unsafe(text)
  }
  const tablesOf = (url: string) => run(url, "SELECT 1 FROM pg_tables WHERE schemaname = 'tollgate'")

  describe('is refused', () => {
    const CASES: [string, (name: string) => string, string][] = [
      [
        'that confirms commits before they are on the disk',
        (name) => `ALTER DATABASE ${name} SET synchronous_commit = off`,
        'loses it in a power cut',
      ],
      [
        'that begins transactions at another level',
        (name) => `ALTER DATABASE ${name} SET default_transaction_isolation = 'serializable'`,
        "set default_transaction_isolation = 'read committed'",
      ],
      [
        'that a newer program wrote',
        () => 'UPDATE tollgate.schema SET version = 9999, readable_from = 9998',
        `The database is at version 9999, and this program knows versions up to ${NEWEST}.`,
      ],
      [
        'whose texts have another collation',
        () => 'ALTER TABLE tollgate.keys ALTER COLUMN prefix TYPE text COLLATE "POSIX"',
        'The column keys.prefix has another collation than "C"',
      ],
    ]
    test.each(CASES)('%s', async (_, change, message) => {
      const { name, url } = await database()
      await run(url, change(name))
      await expect(openPostgres(url)).rejects.toThrow(message)
    })

    test('whose texts are not in UTF-8', async () => {
      const { sql, urlOf } = await administrator()
      const name = `tollgate_test_${process.pid}_ascii`
      made.push(name)
      await sql.unsafe(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'`)
      await expect(openPostgres(urlOf(name))).rejects.toThrow(
        "has the encoding SQL_ASCII: create it with ENCODING 'UTF8'",
      )
      expect(await tablesOf(urlOf(name))).toHaveLength(0)
    })

    test('that does not exist', async () => {
      const { urlOf } = await administrator()
      await expect(openPostgres(urlOf('tollgate_nowhere'))).rejects.toThrow(
        'create it by CREATE DATABASE tollgate_nowhere',
      )
    })

    test('to an unknown user', async () => {
      const { url } = await database()
      const unknown = url.replace('//tollgate@', '//nobody_knows@')
      await expect(openPostgres(unknown)).rejects.toThrow('refuses the user nobody_knows')
    })

    test('to a user who may not make its tables', async () => {
      const { name, url } = await database('template0')
      const { sql } = await administrator()
      const user = `tollgate_test_${process.pid}_user`
      await sql.unsafe(`CREATE ROLE ${user} LOGIN`)
      try {
        const failing = openPostgres(url.replace('//tollgate@', `//${user}@`))
        await expect(failing).rejects.toThrow(`GRANT CREATE ON DATABASE ${name} TO ${user}`)
      } finally {
        await sql.unsafe(`DROP ROLE ${user}`)
      }
    })

    test('behind a pooler that does not keep the settings of a session', async () => {
      const { url } = await database('template0')
      const changed = (bytes: Buffer) =>
        Buffer.from(bytes.toString('latin1').replace('lock_timeout\x003s', 'lock_timeout\x004s'), 'latin1')
      await using proxy = await startProxy(url, changed)
      await expect(openPostgres(proxy.url)).rejects.toThrow('as PgBouncer does in transaction mode')
      expect(await tablesOf(url)).toHaveLength(0)
    })

    test('without tables, for reading', async () => {
      const { url } = await database('template0')
      await expect(openPostgres(url, { readonly: true })).rejects.toThrow(
        'Start the gateway with this program',
      )
      expect(await tablesOf(url)).toHaveLength(0)
    })

    test('with a table of another program in the way, and no new table is left', async () => {
      const { url } = await database('template0')
      await run(url, 'CREATE SCHEMA tollgate; CREATE TABLE tollgate.responses (id bigint)')
      await expect(openPostgres(url)).rejects.toThrow('"responses" already exists')
      expect(await tablesOf(url)).toHaveLength(1)
    })
  })

  test('gets its tables once, even if several open it at the same time', async () => {
    const { url } = await database('template0')
    const opened = await Promise.all(Array.from({ length: 4 }, () => openPostgres(url)))
    for (const db of opened) await db.close()
    const rows = await run(url, 'SELECT version::int, readable_from::int FROM tollgate.schema')
    expect([...rows]).toEqual([{ version: NEWEST, readable_from: MIGRATIONS.at(-1)?.readable_from }])
  })

  test('of a newer program is opened if it says that this one can read it', async () => {
    const { url } = await database()
    await run(url, 'UPDATE tollgate.schema SET version = version + 1')
    await using db = await openPostgres(url)
    expect(await db.rows('SELECT version FROM schema')).toEqual([{ version: NEWEST + 1 }])
  })
})
