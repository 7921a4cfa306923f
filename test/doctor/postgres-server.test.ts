// The doctor's check of a PostgreSQL server: the findings of a healthy one, and each trouble with advice.
import { afterEach, describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { SQL } from 'bun'
import { diagnosesOfServer } from '../../plugins/doctor/checks/server.ts'
import type { DoctorReport } from '../../plugins/doctor/report.ts'
import type { ExaminedServer } from '../../src/store/engines/postgres/examination.ts'
import { NEWEST } from '../../src/store/engines/postgres/migrate.ts'
import { createScene, type Scene } from '../app/commands/scene.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { freePort } from '../support/free-port.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'

const gateway = (id: number, version: string) => ({
  id,
  name: `web-${id}`,
  version,
})

const WELL: ExaminedServer = {
  place: { host: 'db.internal:5432', database: 'tollgate', user: 'gateway' },
  version: '18.4',
  faults: [],
  schema: { version: NEWEST, readable_from: NEWEST },
  rights: { may_migrate: true, refused: [] },
  bytes: 8_600_000,
  round_trip_ms: 0.42,
  clock_ahead_ms: -12,
  commit: 'on',
  standbys: [],
  dead_rows: [
    { table: 'accounts', live: 20, dead: 700 },
    { table: 'keys', live: 20, dead: 0 },
  ],
  gateways: [gateway(1, '1.2.0')],
}

const findingsOf = (examined: Partial<ExaminedServer>): string[] =>
  diagnosesOfServer({ ...WELL, ...examined }).map(({ level, check, found }) => `${level} ${check}: ${found}`)

test('a healthy server', () => {
  expect(findingsOf({})).toEqual([
    'ok database: PostgreSQL 18.4 at db.internal:5432/tollgate, 8.6 MB, round trip 0.4 ms; `tollgate audit` checks its tables and the books',
    `ok schema: version ${NEWEST}, up to date`,
    'ok database rights: gateway may read, write and change all tables',
    "ok database clock: 12 ms behind this machine's",
    'ok dead rows: accounts 700, keys 0',
    'ok gateways: 1 running: web-1 1.2.0',
  ])
})

const CASES: [what: string, examined: Partial<ExaminedServer>, says: string][] = [
  [
    'a fault, whose sentence ends with what to do',
    { faults: ['PostgreSQL at db:5432 is version 12: version 14 or later is needed.'] },
    'fail database: PostgreSQL at db:5432 is version 12',
  ],
  [
    'gateways of different versions',
    {
      gateways: [gateway(1, '1.3.0'), gateway(2, '1.2.0')],
    },
    'warn gateways: 2 running, of different versions: web-1 1.3.0, web-2 1.2.0',
  ],
  ['no tables', { schema: { version: 0, readable_from: 0 } }, 'warn schema: it has no tables'],
  [
    'an older version',
    { schema: { version: NEWEST - 1, readable_from: 27 } },
    `warn schema: version ${NEWEST - 1}; this program has ${NEWEST}`,
  ],
  [
    'a newer one that this program can use',
    { schema: { version: NEWEST + 2, readable_from: NEWEST } },
    `ok schema: version ${NEWEST + 2}, from a newer program; this one, which knows ${NEWEST}, can use it`,
  ],
  [
    'a newer one that it cannot use',
    { schema: { version: NEWEST + 2, readable_from: NEWEST + 1 } },
    `fail schema: version ${NEWEST + 2}, from a newer program; this one knows ${NEWEST}`,
  ],
  [
    'tables that cannot be written',
    { rights: { may_migrate: false, refused: ['accounts', 'calls', 'entries', 'files', 'keys'] } },
    'fail database rights: gateway may not read and write all tables: not accounts, calls, entries, and 2 more',
  ],
  [
    'tables of another user',
    { rights: { may_migrate: false, refused: [] } },
    'warn database rights: gateway may not create or change tables',
  ],
  ['a clock at the limit', { clock_ahead_ms: 999 }, "ok database clock: 999 ms ahead of this machine's"],
  ['a clock that is ahead', { clock_ahead_ms: 90_400 }, "warn database clock: 90 s ahead of this machine's"],
  ['a clock that is behind', { clock_ahead_ms: -1_600 }, "warn database clock: 2 s behind this machine's"],
  [
    'asynchronous standbys only',
    { standbys: ['async', 'async'] },
    'warn replication: standbys: 2; commits do not wait for any, they are asynchronous',
  ],
  [
    'a synchronous standby that commits do not wait for',
    { standbys: ['sync', 'async'], commit: 'local' },
    'warn replication: standbys: 2; commits do not wait for them (synchronous_commit is local)',
  ],
  [
    'standbys whose state may not be seen',
    { standbys: [null] },
    'warn replication: standbys: 1, whose state gateway may not see',
  ],
  ['a quorum', { standbys: ['quorum', 'quorum'] }, 'ok replication: standbys: 2, and a commit waits for one'],
  [
    'many dead rows',
    { dead_rows: [{ table: 'accounts', live: 20, dead: 400_000 }] },
    'warn dead rows: accounts: 400000, beside 20 rows',
  ],
  [
    'many dead rows of a large table',
    { dead_rows: [{ table: 'accounts', live: 500_000, dead: 400_000 }] },
    'ok dead rows: accounts 400000',
  ],
]

test.each(CASES)('%s', (_, examined, says) => {
  expect(findingsOf(examined)).toContain(says)
  for (const { level, advice } of diagnosesOfServer({ ...WELL, ...examined }))
    expect(advice === null).toBe(level === 'ok')
})

test('the advice on a fault is the end of its sentence', () => {
  const [fault] = diagnosesOfServer({ ...WELL, faults: ['It is off: set it on.'] })
  expect(fault).toMatchObject({ found: 'It is off', advice: 'Set it on.' })
})

describe('a folder whose catalogue names a server', () => {
  const undo: (() => unknown)[] = []
  afterEach(async () => {
    for (const each of undo.splice(0)) await each()
  })

  async function examine(database: string, env: Record<string, string> = {}) {
    const scene: Scene = createScene('nothing')
    undo.push(() => scene.remove())
    const section = `[storage]\ndatabase = "${database}"\n`
    writeFileSync(scene.path('tollgate.toml'), `${catalogueOf({ upstream_url: 'simulator' })}\n${section}`, {
      mode: 0o600,
    })
    chmodSync(scene.dir, 0o700)
    Object.assign(scene.env, env)
    scene.now_ms = Date.now()
    const { status, out } = await scene.run('doctor', '--json')
    const { findings }: DoctorReport = JSON.parse(out)
    const of = ({ check, level, found, advice }: DoctorReport['findings'][number]) => ({
      [check]: `${level}: ${found}${advice === null ? '' : ` (${advice})`}`,
    })
    return { status, out, ...Object.assign({}, ...findings.map(of)) }
  }

  const makeTestDatabase = async (template?: 'template0') => {
    const database = await makeDatabase(template)
    undo.push(() => dropDatabase(database.name))
    return database
  }

  test('that does not listen: it fails, and the database has no other finding', async () => {
    const host = `127.0.0.1:${freePort()}`
    const found = await examine(`postgres://tollgate:hunter2@${host}/db`)
    expect(found.status).toBe(1)
    expect(found.database).toStartWith(`fail: PostgreSQL at ${host} cannot be reached (`)
    expect(found.database).toEndWith('(Check that it runs, and the address.)')
    expect(found.schema).toBeUndefined()
    expect(found['stored files']).toBeUndefined()
    expect(found.out).not.toContain('hunter2')
  })

  test('by an unset variable: the catalogue has the finding', async () => {
    const found = await examine('env:NOT_HERE')
    expect(found.catalogue).toContain('needs the environment variable NOT_HERE')
    expect(found.database).toBeUndefined()
  })

  test.if(hasPostgres)('that is healthy', async () => {
    const { url, name } = await makeTestDatabase()
    const found = await examine('env:DATABASE_URL', { DATABASE_URL: url })
    expect(found.database).toMatch(
      new RegExp(`^ok: PostgreSQL [0-9.]+ at [^/]+/${name}, [0-9.]+ MB, round trip [0-9.]+ ms; `),
    )
    expect(found.schema).toBe(`ok: version ${NEWEST}, up to date`)
    expect(found['database rights']).toStartWith('ok: ')
    expect(found['database clock']).toStartWith('ok: ')
    expect(found['stored files']).toBe('ok: none missing: images 0')
  })

  test.if(hasPostgres)('without the database, or without tables in it', async () => {
    const { url, name } = await makeTestDatabase('template0')
    expect((await examine(url)).schema).toStartWith('warn: it has no tables')
    const none = await examine(url.replace(name, 'nowhere'))
    expect(none.database).toMatch(/^fail: .* has no database nowhere \(Create it by CREATE DATABASE nowhere/)
  })

  test.if(hasPostgres)('with tables of another user, and with another synchronous_commit', async () => {
    const { url, name } = await makeTestDatabase()
    const role = `${name}_reader`
    const run = async (text: string) => {
      await using sql = new SQL({ url, max: 1 })
      await sql.unsafe(text).simple()
    }
    await run(`CREATE ROLE ${role} LOGIN PASSWORD 'p'; GRANT USAGE ON SCHEMA tollgate TO ${role};
      GRANT SELECT ON ALL TABLES IN SCHEMA tollgate TO ${role}; ALTER DATABASE ${name} SET synchronous_commit = off`)
    undo.unshift(() => run(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
    const address = Object.assign(new URL(url), { username: role, password: 'p' }).href
    const found = await examine(address)
    expect(found['database rights']).toStartWith(
      `fail: ${role} may not read and write all tables: not account_details, account_suspensions, accounts, and `,
    )
    expect(found.database).toMatch(/^fail: .* loses it in a power cut \(Set synchronous_commit = 'on'/)
  })
})
