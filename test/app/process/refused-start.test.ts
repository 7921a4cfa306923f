// A refused start of a newer program: the database stays as it was, so that the older program can still read it.
import { Database } from 'bun:sqlite'
import { afterAll, describe, expect, test } from 'bun:test'
import { chownSync, copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { examine } from '../../../plugins/doctor/examine.ts'
import { plugins } from '../../../plugins/index.ts'
import { checksOf } from '../../../src/app/plugins.ts'
import { Connection } from '../../../src/store/engines/postgres/connection.ts'
import {
  migrate as migrateServer,
  MIGRATIONS as SERVER_MIGRATIONS,
} from '../../../src/store/engines/postgres/migrate.ts'
import { versionOnServer } from '../../../src/store/engines/postgres/open.ts'
import { MIGRATIONS, migrate, schemaVersion } from '../../../src/store/engines/sqlite/migrate.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { freePort } from '../../support/free-port.ts'
import { holdLock } from '../../support/lock-holder.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../../support/postgres.ts'
import { restarts } from '../../support/restarts.ts'
import { temporary } from '../../support/temporary.ts'

/** The id of no user of this machine. */
const OTHER_USER = 54_321
/** The schema version of release 0.2. */
const OLD_VERSION = 11
const IS_ROOT = process.geteuid?.() === 0

const taken = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
const TAKEN = `127.0.0.1:${taken.port}`
afterAll(() => taken.stop(true))

const old = temporary()
afterAll(() => old[Symbol.dispose]())
const OLD_DATABASE = old.at('old.db')
makeOld(OLD_DATABASE)

/** A database of the old version that names an image. */
function makeOld(path: string): void {
  const db = new Database(path, { create: true, strict: true })
  db.run('PRAGMA journal_mode = WAL')
  migrate(db, MIGRATIONS.slice(0, OLD_VERSION))
  db.run(
    "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'alice', 'active', 0, 0, 0, 1)",
  )
  db.run(
    `INSERT INTO files (key, account_id, name, mime, bytes, state, sha256, width, height, created_at_ms)
     VALUES ('files/1/00000000-0000-4000-8000-000000000000_cat.png', 1, 'cat', 'image/png', 10, 'stored', '${'a'.repeat(64)}', 1, 1, 1)`,
  )
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

interface Refusing {
  server?: string
  more?: string
  plugin?: string
  /** Changes the folder before the start. */
  prepare?: (folder: string) => void
  has_files?: boolean
}

async function oldFolder({ server = '', more = '', plugin, prepare, has_files = true }: Refusing) {
  const gateway = await restarts(catalogueOf({ upstream_url: 'simulator', server, more }))
  const { path, database_path } = gateway.folder
  for (const name of readdirSync(path).filter((each) => each.startsWith('tollgate.db')))
    rmSync(join(path, name))
  copyFileSync(OLD_DATABASE, database_path)
  if (has_files) {
    mkdirSync(join(path, 'files/1'), { recursive: true })
    writeFileSync(join(path, 'files/1/00000000-0000-4000-8000-000000000000_cat.png'), 'some bytes')
  }
  mkdirSync(join(path, 'plugins'))
  if (plugin !== undefined) writeFileSync(join(path, 'plugins/mine.ts'), plugin)
  prepare?.(path)
  return gateway
}

const versionOf = (path: string): number => {
  const db = new Database(path, { readonly: true })
  try {
    return schemaVersion(db)
  } finally {
    db.close()
  }
}

const GOOD_PLUGIN = 'export default () => {}'

const REFUSALS: [name: string, refusing: Refusing, says: string, doctor_says: string | null][] = [
  ['a plugin that throws', { plugin: 'throw new Error("no word list")' }, 'no word list', null],
  [
    'plugins with conflicting routes',
    { plugin: "export default ({ app }) => app.get('/a/:one', () => '').get('/a/:other/b', () => '')" },
    'cannot be served',
    null,
  ],
  [
    'a plugin that everybody may change',
    {
      plugin: GOOD_PLUGIN,
      prepare: (folder) => Bun.spawnSync(['chmod', '666', join(folder, 'plugins/mine.ts')]),
    },
    'everybody on this machine may write to',
    'everybody on this machine may write to',
  ],
  [
    'an address of its metrics that is in use',
    { more: `[metrics]\nlisten = "${TAKEN}"` },
    `Cannot listen on ${TAKEN}`,
    `Cannot listen on ${TAKEN}`,
  ],
  [
    'an unreadable certificate',
    { server: 'tls_certificate = "none.pem"\ntls_key = "none.key"' },
    'cannot be read',
    'cannot be read',
  ],
  ['a missing folder of files', { has_files: false }, 'in files/, which is missing', 'which is missing'],
  [
    'an unusable bucket',
    {
      more: `[storage]\nfiles = "s3://bucket-x/prod"\nendpoint = "http://127.0.0.1:${freePort()}"\naccess_key_id = "a"\nsecret_access_key = "b"`,
    },
    'The bucket bucket-x',
    'The bucket bucket-x',
  ],
]

const OF_ROOT: typeof REFUSALS = [
  [
    'a plugin of a foreign owner',
    { plugin: GOOD_PLUGIN, prepare: (folder) => chownSync(join(folder, 'plugins/mine.ts'), OTHER_USER, 0) },
    `belongs to user ${OTHER_USER}`,
    `belongs to user ${OTHER_USER}`,
  ],
]

describe('a refused start leaves the database of an older version as it was', () => {
  test.each([...REFUSALS, ...(IS_ROOT ? OF_ROOT : [])])('%s', async (_, refusing, says, doctor_says) => {
    using gateway = await oldFolder(refusing)
    const { path, database_path } = gateway.folder
    await expect(gateway.start()).rejects.toThrow(says)
    expect(versionOf(database_path)).toBe(OLD_VERSION)
    expect(readdirSync(path).filter((name) => name.includes('.before-'))).toEqual([])
    if (doctor_says === null) return
    const { findings } = await examine({ data_folder: path, env: {}, now: Date.now }, checksOf(plugins))
    const failed = findings.filter(({ level }) => level === 'fail').map(({ found }) => found)
    expect(failed.join('\n')).toContain(doctor_says)
  })

  test('an address that is in use', async () => {
    using gateway = await oldFolder({})
    await expect(gateway.start({ listen: TAKEN })).rejects.toThrow(`Cannot listen on ${TAKEN}`)
    expect(versionOf(gateway.folder.database_path)).toBe(OLD_VERSION)
  })

  test.each(['127.0.0.1', 'localhost'])('the address of its own metrics, as %s', async (host) => {
    const port = freePort()
    using gateway = await oldFolder({ more: `[metrics]\nlisten = "${host}:${port}"` })
    const start = gateway.start({ listen: `127.0.0.1:${port}` })
    await expect(start).rejects.toThrow(`the gateway's own metrics have ${host}:${port}`)
    expect(versionOf(gateway.folder.database_path)).toBe(OLD_VERSION)
  })
})

describe.if(hasPostgres)('on PostgreSQL', () => {
  test('a refused start beside another gateway with files in a folder leaves its tables as they were', async () => {
    const { name, url } = await makeDatabase('template0')
    await using _dropping = { [Symbol.asyncDispose]: () => dropDatabase(name) }
    const connection = await Connection.open(url)
    await migrateServer(connection, SERVER_MIGRATIONS.slice(0, -1))
    await connection.ask(
      `INSERT INTO gateways (version, node, name, started_at_ms, seen_at_ms) VALUES ('0.4.0', 'other', 'other-machine', 1, now_ms())`,
    )
    await connection.close()
    using gateway = await restarts(
      catalogueOf({
        upstream_url: 'simulator',
        api_keys: ['env:UPSTREAM_KEY'],
        more: `[storage]\ndatabase = "${url}"`,
      }),
    )
    await expect(gateway.start()).rejects.toThrow('Another gateway serves this database (other-machine)')
    expect(await versionOnServer(url)).toBe(SERVER_MIGRATIONS.at(-2)?.version ?? 0)
    const { findings } = await examine(
      { data_folder: gateway.folder.path, env: {}, now: Date.now },
      checksOf(plugins),
      'stored files',
    )
    expect(findings.find(({ level }) => level === 'fail')?.found).toContain('other-machine')
    expect(readdirSync(gateway.folder.path)).not.toContain('gateway.id')
  })
})

test('a start waits for a command that locks the folder for a moment', async () => {
  using gateway = await restarts(catalogueOf({ upstream_url: 'simulator', api_keys: ['k'] }))
  const command = await holdLock(join(gateway.folder.path, 'serve.lock'), 300)
  await using _run = await gateway.start()
  command.kill('SIGKILL')
  await command.exited
})

test('a successful start migrates the database and keeps a copy', async () => {
  using gateway = await oldFolder({ plugin: GOOD_PLUGIN })
  const { path, database_path } = gateway.folder
  await using _run = await gateway.start()
  expect(versionOf(database_path)).toBe(MIGRATIONS.length)
  expect(readdirSync(path).filter((name) => name.includes('.before-'))).toHaveLength(1)
})
