// `migrate`: all rows to PostgreSQL and back by the command line, its refusals, and the old database, which stays unchanged.
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { serverClock } from '../../src/store/engines/postgres/heartbeat.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { beginGateway, endGateway } from '../../src/store/gateways.ts'
import { takeLock } from '../../src/store/lock.ts'
import { type Scene, sceneOfEachTest } from '../app/commands/scene.ts'
import { administrator, dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'

const scene = sceneOfEachTest(async (scene) => {
  await scene.json('account', 'create', 'ada')
  await scene.json('credit', 'ada', '10')
  await scene.json('key', 'create', 'ada', '--name', 'laptop')
})

/** The catalogue of a folder, and a hash of its database's pages, however much of its log has been copied. */
function filesOf(from: Scene): Record<string, string> {
  const db = openDatabase(from.path('tollgate.db'), { readonly: true })
  const pages = db.serialize()
  db.close()
  return { catalogue: readFileSync(from.path('tollgate.toml'), 'utf8'), database: Bun.hash(pages).toString() }
}

describe('without a server', () => {
  test.each([
    ['s3://bucket', /^error: --to: s3:\/\/bucket must be a PostgreSQL database/],
    ['mysql://root@host/db', /^error: --to: mysql:\/\/root@host\/db must be a PostgreSQL database/],
    ['postgres://host', /^error: --to: must be the address of a PostgreSQL database/],
    ['env:NOT_SET', /^error: --to: needs the environment variable NOT_SET, which is not set/],
    ['$DATABASE_URL', /^error: The database is a SQLite file already/],
    [
      './elsewhere',
      /^error: The database is a SQLite file already, .*tollgate\.db\. Move it by `tollgate backup`/,
    ],
  ])('--to %s is refused', async (to, words) => {
    const before = filesOf(scene)
    const { status, out, err } = await scene.run('migrate', '--to', to)
    expect({ status, out }).toEqual({ status: 1, out: '' })
    expect(err).toMatch(words)
    expect(filesOf(scene)).toEqual(before)
    expect(existsSync('elsewhere')).toBeFalse()
  })

  test('--to is required', async () => {
    expect(await scene.run('migrate')).toMatchObject({ status: 2 })
  })

  test('an unreachable server is named without its password', async () => {
    const { status, err } = await scene.run('migrate', '--to', 'postgres://me:secret@127.0.0.1:1/nowhere')
    expect(status).toBe(1)
    expect(err).toContain('PostgreSQL at 127.0.0.1:1 cannot be reached')
    expect(err).not.toContain('secret')
  })
})

describe.if(hasPostgres)('with a server', () => {
  let database: Awaited<ReturnType<typeof makeDatabase>>
  beforeEach(async () => {
    database = await makeDatabase()
    scene.env = { DATABASE_URL: database.url }
  })
  afterEach(() => dropDatabase(database.name))

  const migrate = (...args: string[]) => scene.run('migrate', ...args)
  const accountsThere = async () => {
    await using db = await openPostgres(database.url, { readonly: true })
    return await db.rows('SELECT name, balance_nanos FROM accounts ORDER BY id')
  }
  const useServer = () =>
    appendFileSync(scene.path('tollgate.toml'), '\n[storage]\ndatabase = "env:DATABASE_URL"\n')

  test('a move to the server: with the printed lines, commands find everything', async () => {
    const before = filesOf(scene)
    const accounts = await scene.json('account', 'list')
    const { status, out } = await migrate('--to', 'env:DATABASE_URL')
    expect(status).toBe(0)
    expect(out).toContain('accounts 1, calls 0, rows ')
    expect(out).toContain('audit clean on both sides')
    expect(out).toContain('[storage]\ndatabase = "env:DATABASE_URL"\n')
    expect(out).toContain('with DATABASE_URL set to that address')
    expect(filesOf(scene)).toEqual(before)
    useServer()
    expect(await scene.json('account', 'list')).toEqual(accounts)
    await scene.json('account', 'create', 'bob')
    expect(await accountsThere()).toEqual([
      { name: 'ada', balance_nanos: 10_000_000_000 },
      { name: 'bob', balance_nanos: 0 },
    ])
    expect(await scene.json('audit-log')).toMatchObject({
      actions: expect.arrayContaining([
        expect.objectContaining({
          action: 'database.moved',
          command: 'migrate',
          subject: scene.path('tollgate.db'),
        }),
      ]),
    })
  })

  test('a move back is refused over the old file, and gives the same rows in a new folder', async () => {
    await migrate('--to', 'env:DATABASE_URL')
    useServer()
    await scene.json('account', 'create', 'bob')
    const accounts = await scene.json('account', 'list')
    const refused = await migrate('--to', scene.dir)
    expect(refused.err).toContain(`${scene.path('tollgate.db')} exists already: move it away`)
    const other = scene.path('new/folder')
    const { status, out } = await migrate('--to', other)
    expect(status).toBe(0)
    expect(out).toContain(`start the gateway with --data ${other}`)
    expect(
      readdirSync(other)
        .filter((name) => !/-(wal|shm)$/.test(name))
        .sort(),
    ).toEqual(['serve.lock', 'tollgate.db'])
    const copy = openDatabase(`${other}/tollgate.db`, { readonly: true })
    expect(copy.query('SELECT name FROM accounts').values()).toEqual([['ada'], ['bob']])
    expect(
      copy.query("SELECT subject FROM actions WHERE action = 'database.moved' ORDER BY id DESC").values()[0],
    ).toEqual([`postgres://${new URL(database.url).host}/${database.name}`])
    copy.close()
    expect(await scene.json('account', 'list')).toEqual(accounts)
  })

  test('--json prints the result without the password', async () => {
    const url = Object.assign(new URL(database.url), { password: 'secret' }).href
    const { out, status } = await migrate('--to', url, '--json')
    expect(status).toBe(0)
    expect(out).not.toContain('secret')
    expect(JSON.parse(out)).toMatchObject({
      database: 'env:DATABASE_URL',
      accounts: 1,
      calls: 0,
      changed: [],
      clean: true,
    })
  })

  describe('is refused, and nothing is changed', () => {
    const expectRefused = async (args: string[], words: string | RegExp) => {
      const before = filesOf(scene)
      const { status, out, err } = await migrate(...args)
      expect({ status, out }).toEqual({ status: 1, out: '' })
      expect(err).toMatch(words)
      expect(filesOf(scene)).toEqual(before)
    }

    test('while a gateway serves the folder; --copy copies all the same', async () => {
      using _served = takeLock(scene.path('serve.lock'))
      await expectRefused(['--to', database.url], /A gateway is serving .*: stop it first/)
      expect((await migrate('--to', database.url, '--copy')).status).toBe(0)
      expect(await accountsThere()).toHaveLength(1)
    })

    test('while a command writes the database', async () => {
      const beside = openDatabase(scene.path('tollgate.db'))
      beside.run('BEGIN IMMEDIATE')
      await expectRefused(['--to', database.url], /Another command is writing .*: try again/)
      beside.run('ROLLBACK')
      beside.close()
    })

    test('a database that has rows', async () => {
      expect((await migrate('--to', database.url)).status).toBe(0)
      await expectRefused(
        ['--to', database.url],
        /The database is not empty: it has accounts\. Name an empty database, or empty this one.*DROP SCHEMA tollgate CASCADE/,
      )
      expect(await accountsThere()).toHaveLength(1)
    })

    test('wrong books', async () => {
      const db = openDatabase(scene.path('tollgate.db'))
      db.run('UPDATE accounts SET balance_nanos = 5')
      db.close()
      await expectRefused(['--to', database.url], /The books do not pass the audit, so nothing was copied/)
      expect(await accountsThere()).toEqual([])
    })

    test('a database of another name, user or encoding, in the words of the server', async () => {
      const { sql } = await administrator()
      await expectRefused(
        ['--to', `${database.url}_no`],
        /has no database .*_no: create it by CREATE DATABASE/,
      )
      const latin = `${database.name}_latin`
      await sql.unsafe(`CREATE DATABASE ${latin} TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'`)
      try {
        await expectRefused(
          ['--to', `${database.url}_latin`],
          /has the encoding LATIN1: create it with ENCODING 'UTF8'/,
        )
      } finally {
        await dropDatabase(latin)
      }
    })

    test('tables of an older version', async () => {
      await using db = await openPostgres(database.url)
      await db.write((within) => within.rows('UPDATE schema SET version = 3, readable_from = 3'))
      await expectRefused(
        ['--to', database.url],
        'tables of an older version of the gateway: name an empty database',
      )
      expect(await db.rows('SELECT version FROM schema')).toEqual([{ version: 3 }])
    })

    test('a move from a server to another one', async () => {
      useServer()
      await expectRefused(
        ['--to', 'postgres://me@other/db?sslmode=disable'],
        /on PostgreSQL already, at .*pg_dump and pg_restore/,
      )
    })

    test('a move back while any gateway runs; --copy copies all the same', async () => {
      await migrate('--to', database.url)
      useServer()
      await using db = await openPostgres(database.url)
      const now_ms = await serverClock(db)
      const own = { version: '1.0.0', node: 'n', name: 'web-1', is_alone: false }
      // Killed long ago.
      await beginGateway(db, { ...own, node: 'o', now_ms: now_ms - 31_000 })
      const id = await beginGateway(db, { ...own, now_ms })
      const to = ['--to', scene.path('back')]
      await expectRefused(
        to,
        `Gateways are running over this database: number ${id} on web-1. Stop all of them first`,
      )
      expect(existsSync(scene.path('back'))).toBeFalse()
      expect((await migrate(...to, '--copy')).status).toBe(0)
      await endGateway(db, id, 5)
      await expectRefused(to, 'exists already')
      expect((await migrate('--to', scene.path('again'))).status).toBe(0)
    })

    test('a move into a folder that a gateway serves', async () => {
      await migrate('--to', database.url)
      useServer()
      const to = scene.path('served')
      expect((await migrate('--to', to)).status).toBe(0)
      writeFileSync(`${to}/serve.lock`, '')
      using _served = takeLock(`${to}/serve.lock`)
      await expectRefused(['--to', to], /A gateway is serving .*served: stop it first/)
    })
  })

  test('a NUL, which PostgreSQL cannot store, is reported', async () => {
    const db = openDatabase(scene.path('tollgate.db'))
    db.run(`INSERT INTO catalogues VALUES (77, 'a' || char(0), 0, 'file', 0)`)
    db.close()
    const { status, err } = await migrate('--to', database.url)
    expect(status).toBe(0)
    expect(err).toBe(
      'warning: PostgreSQL stores no NUL character. It has � in place of each in: catalogues.text of version 77.',
    )
  })
})
