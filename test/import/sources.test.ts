// The tables of another gateway's database: the same rows from SQLite, PostgreSQL and a recorded dump, nothing written; refusals.
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openTables } from '../../plugins/import/source/open.ts'
import type { SourceRow, SourceTables, TableQuery } from '../../plugins/import/source/rows.ts'
import { hasPostgres } from '../support/postgres.ts'
import { type ForeignDatabase, makePostgres, makeSqlite } from './gateway-database.ts'
import { oddRows } from './gateway-rows.ts'

const DUMP = join(import.meta.dir, 'fixtures/mariadb-dump.sql')
const folder = mkdtempSync(join(tmpdir(), 'tollgate-sources-'))
const file = join(folder, 'one-api.db')
let server: ForeignDatabase | undefined

beforeAll(async () => {
  makeSqlite(file, 'new-api 2026', oddRows('new-api'))
  writeFileSync(join(folder, 'dump.sql.gz'), Bun.gzipSync(readFileSync(DUMP)))
  if (hasPostgres) server = await makePostgres('new-api 2026', oddRows('new-api'))
})

afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const all = async (tables: SourceTables, table: string, query?: TableQuery): Promise<SourceRow[]> =>
  Array.fromAsync(tables.rows(table, query))

/** The rows as text, since engines differ in flags, moments and the padding of `char(48)`. */
const comparable = (rows: readonly SourceRow[]): string[] =>
  rows.map((row) =>
    Object.entries(row)
      .filter(([name]) => name !== 'deleted_at')
      .map(([name, value]) => {
        const plain = typeof value === 'boolean' ? Number(value) : value
        const text =
          typeof plain === 'object' && plain !== null ? JSON.stringify(plain) : String(plain).trimEnd()
        return `${name}=${name === 'channel_info' ? JSON.stringify(value === null ? null : JSON.parse(text)) : text}`
      })
      .join(' '),
  )

const places: [name: string, place: () => string][] = [
  ['PostgreSQL', () => server?.url ?? ''],
  ['a dump by mariadb-dump', () => DUMP],
  ['the same, packed by gzip', () => join(folder, 'dump.sql.gz')],
]

describe.each(places)('%s has the same rows as SQLite', (name, place) => {
  const can = test.skipIf(name === 'PostgreSQL' && !hasPostgres)
  const tables = ['users', 'tokens', 'channels', 'abilities', 'options', 'redemptions', 'logs'] as const
  can.each(tables)('%s', async (table) => {
    await using sqlite = await openTables(file)
    await using other = await openTables(place())
    const rows = await all(sqlite, table)
    expect(rows.length).toBeGreaterThan(3)
    expect(comparable(await all(other, table))).toEqual(comparable(rows))
    expect(await other.columnsOf(table)).toEqual(await sqlite.columnsOf(table))
  })

  can('a query returns the newest of some rows, and some columns', async () => {
    await using other = await openTables(place())
    const query = {
      where: { column: 'type', is: 2 },
      newest_by: 'id',
      limit: 2,
      columns: ['id', 'quota', 'absent'],
    }
    const rows = await all(other, 'logs', query)
    expect(rows.map(({ id, quota, other: text }) => [Number(id), Number(quota), text])).toEqual([
      [7, 5, undefined],
      [6, 20_000, undefined],
    ])
    expect(await all(other, 'logs', { where: { column: 'absent', is: 2 } })).toEqual([])
    expect(await all(other, 'logs', { limit: 0 })).toEqual([])
    expect(await other.columnsOf('absent')).toBeUndefined()
    await expect(all(other, 'absent')).rejects.toThrow('has no table absent')
  })
})

test.if(hasPostgres)('PostgreSQL’s tables are read from the schema that search_path names', async () => {
  await server?.sql.unsafe('CREATE SCHEMA other; CREATE TABLE other.t AS SELECT 8 AS a')
  await using tables = await openTables(`${server?.url}?search_path=other`)
  expect(await all(tables, 't')).toEqual([{ a: 8 }])
  expect(await tables.columnsOf('users')).toBeUndefined()
})

describe('a SQLite file is not written to', () => {
  const state = (place: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(place)
        .filter((name) => !name.endsWith('-shm'))
        .map((name) => [
          name,
          createHash('sha256')
            .update(readFileSync(join(place, name)))
            .digest('hex'),
        ]),
    )

  const place = (name: string): string => {
    const path = join(folder, name)
    mkdirSync(path)
    return path
  }

  const ids = async (path: string): Promise<unknown[]> => {
    await using tables = await openTables(path)
    return (await all(tables, 't')).map(({ a }) => a)
  }

  test('while its program runs with a write-ahead log, and later writes are not read', async () => {
    const at = place('live')
    using writer = new Database(join(at, 'live.db'), { create: true })
    writer.run('PRAGMA journal_mode = WAL')
    writer.run('CREATE TABLE t (a)')
    writer.run('INSERT INTO t VALUES (1)')
    const before = state(at)
    await using tables = await openTables(join(at, 'live.db'))
    expect(state(at)).toEqual(before)
    writer.run('INSERT INTO t VALUES (2)')
    expect(await all(tables, 't')).toEqual([{ a: 1 }])
  })

  test('through a link to the file of a running program, whose log is read, too', async () => {
    const at = place('linked')
    using writer = new Database(join(at, 'live.db'), { create: true })
    writer.run('PRAGMA journal_mode = WAL')
    writer.run('CREATE TABLE t AS SELECT 1 AS a')
    symlinkSync(join(at, 'live.db'), join(at, 'link.db'))
    expect(await ids(join(at, 'link.db'))).toEqual([1])
  })

  test('when its program has stopped without leaving a log', async () => {
    const at = place('at-rest')
    {
      using writer = new Database(join(at, 'rest.db'), { create: true })
      writer.run('PRAGMA journal_mode = WAL')
      writer.run('CREATE TABLE t AS SELECT 1 AS a')
    }
    const before = state(at)
    expect(await ids(join(at, 'rest.db'))).toEqual([1])
    expect(state(at)).toEqual(before)
    expect(readdirSync(at)).toEqual(['rest.db'])
  })

  test('when file and log are copies without an index, and both are read', async () => {
    const [from, at] = [place('killed'), place('copied')]
    using writer = new Database(join(from, 'a.db'), { create: true })
    writer.run('PRAGMA journal_mode = WAL')
    writer.run('CREATE TABLE t AS SELECT 7 AS a')
    for (const name of ['a.db', 'a.db-wal']) copyFileSync(join(from, name), join(at, name))
    const before = state(at)
    expect(await ids(join(at, 'a.db'))).toEqual([7])
    expect(state(at)).toEqual(before)
    expect(readdirSync(at).sort()).toEqual(['a.db', 'a.db-wal'])
  })
})

describe('refusals with advice', () => {
  const dump = readFileSync(DUMP, 'latin1')
  const cases: [name: string, content: string | Uint8Array, message: string][] = [
    ['an empty file', '', 'is empty'],
    ['a file encrypted by openssl', 'Salted__abcdefgh', 'decrypt it first'],
    ['a file encrypted by PGP', '-----BEGIN PGP MESSAGE-----\n', 'decrypt it first'],
    [
      'noise',
      Uint8Array.from({ length: 200 }, (_, at) => (at * 37 + 1) % 256),
      'neither a SQLite file nor a text',
    ],
    [
      'a SQLite file that is encrypted behind its head',
      `SQLite format 3\0${'x'.repeat(5_000)}`,
      'damaged, or encrypted',
    ],
    ['a ZIP file', 'PK\x03\x04abc', 'unpack it'],
    ['a dump of PostgreSQL', '--\n-- PostgreSQL database dump\n--\n', 'restore it to a server'],
    ['another text', 'hello, this is a letter\n', 'it is no MySQL dump'],
    ['SQL without tables', 'SELECT 1;\n', 'has no tables'],
    ['a dump cut in a row', dump.slice(0, dump.indexOf("'anna'") + 4), 'is cut off'],
    ['a dump cut between statements', dump.slice(0, dump.indexOf('UNLOCK TABLES') + 15), 'is cut off'],
    ['a packed dump cut anywhere', Bun.gzipSync(readFileSync(DUMP)).subarray(0, 2_000), 'cut off'],
    [
      'a cut dump of phpMyAdmin',
      'START TRANSACTION;\nCREATE TABLE `t` (`a` int);\nINSERT INTO `t` (`a`) VALUES (1);\n',
      'is cut off',
    ],
    ['a dump in GBK', 'SET NAMES gbk;\nCREATE TABLE `t` (`a` int);\n', 'character set gbk'],
    [
      'an INSERT of a SELECT',
      'CREATE TABLE t (a int);\nINSERT INTO t SELECT 1;\n',
      'has an INSERT without VALUES',
    ],
  ]
  test.each(cases)('%s', async (_, content, message) => {
    const path = join(folder, 'no-source')
    writeFileSync(path, typeof content === 'string' ? Buffer.from(content, 'latin1') : content)
    await expect(openTables(path)).rejects.toThrow(message)
  })

  const addresses: [address: string, message: string][] = [
    ['/nowhere/one-api.db', 'does not exist'],
    [tmpdir(), 'is not a file'],
    ['mysql://root:secret-1@127.0.0.1/newapi', 'mysqldump'],
    ['https://example.com/one-api.db', 'cannot read a database at this address'],
    ['postgres://nobody:secret-1@127.0.0.1:1/nowhere', 'cannot be reached'],
    ['postgres://127.0.0.1:1', 'must be postgres://USER:PASSWORD'],
    ['postgres://u:secret-1@db.example.com/x', 'has no sslmode'],
  ]
  test.each(addresses)('%s', async (address, message) => {
    const refusal = await openTables(address).then(
      () => '',
      (thrown: unknown) => String(thrown),
    )
    expect(refusal).toContain(message)
    expect(refusal).not.toContain('secret-1')
  })

  test.skipIf(!hasPostgres)('a database that the server does not have', async () => {
    const url = new URL(server?.url ?? '')
    url.pathname = '/not_there'
    await expect(openTables(url.href)).rejects.toThrow('has no database not_there')
  })
})
