// A gateway over a database of an older version: it copies, migrates and serves it; the restored copy has the old rows.
import { Database } from 'bun:sqlite'
import { expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { hashKey } from '../../src/access/secret.ts'
import { audit } from '../../src/money/ledger/audit.ts'
import { MIGRATIONS, migrate } from '../../src/store/engines/sqlite/migrate.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { createScene } from '../app/commands/scene.ts'
import { catalogueOf } from '../support/catalogue.ts'
import { startGatewayProcess } from '../support/gateway-process.ts'
import { ask, wholePath } from '../support/native.ts'
import { temporary } from '../support/temporary.ts'

setDefaultTimeout(60_000)

const KEY = 'tg_0123456789012345678901234567890123456789012'
const BALANCE = 10_000_000_000

/** A database as an older program left it: an account with money and a key. Only columns that the first version had are named. */
function makeOld(path: string, version: number): void {
  const db = new Database(path, { strict: true })
  db.run('PRAGMA journal_mode = WAL')
  migrate(db, MIGRATIONS.slice(0, version))
  db.run(`
    INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms)
    VALUES (1, 'alice', 'active', ${BALANCE}, 0, 0, 1);
    INSERT INTO entries (account_id, kind, amount_nanos, note, created_at_ms) VALUES (1, 'top_up', ${BALANCE}, 'before', 1)`)
  db.query(
    `INSERT INTO keys (id, account_id, name, prefix, sha256, spent_nanos, held_nanos, created_at_ms)
     VALUES (1, 1, 'key', ?, ?, 0, 0, 1)`,
  ).run(KEY.slice(0, 10), hashKey(KEY))
  db.close()
}

/** Closes its statements: an open one would keep its connection, which would be in the way of a restore. */
function rowsOf(path: string) {
  const db = new Database(path, { readonly: true })
  const tables = ['accounts', 'keys', 'calls', 'entries'].map((table) => {
    using statement = db.prepare(`SELECT * FROM ${table}`)
    return statement.values()
  })
  db.close(true)
  return tables
}

/** The first, that before the console, and that before this program's last migration. */
const VERSIONS = [1, 7, MIGRATIONS.length - 1]

test.each(VERSIONS)('a database of version %d is copied, served, audited, and restored', async (version) => {
  const folder = temporary()
  const database = folder.at('tollgate.db')
  writeFileSync(folder.at('tollgate.toml'), catalogueOf({ upstream_url: 'simulator' }))
  makeOld(database, version)
  const before = rowsOf(database)
  const prepared = {
    ...folder,
    database_path: database,
    keys: [KEY],
  }
  await using gateway = await startGatewayProcess('', prepared)
  const answer = await fetch(new URL(wholePath(), gateway.url), {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify(ask()),
  })
  expect(answer.status).toBe(200)
  await answer.text()
  gateway.signal('SIGTERM')
  expect(await gateway.ended).toBe(0)
  const served = openDatabase(database, { readonly: true })
  expect(await audit(dbOver(served))).toMatchObject({ clean: true, totals: { calls: 1 } })
  served.close()

  const [copy = ''] = readdirSync(folder.path).filter((name) => name.includes('.before-'))
  expect(copy).toBe(`tollgate.db.before-${String(version + 1).padStart(4, '0')}`)
  expect(rowsOf(folder.at(copy))).toEqual(before)

  // The older program would restore the copy as it is; this one brings it up to date first, and finds the same money.
  for (const suffix of ['', '-wal', '-shm']) rmSync(database + suffix, { force: true })
  using scene = createScene('nothing', folder.path)
  await scene.json('restore', folder.at(copy))
  expect(await scene.json('account', 'list')).toMatchObject({
    accounts: [{ name: 'alice', balance_nanos: BALANCE }],
  })
  expect(await scene.json('audit')).toMatchObject({ clean: true, totals: { calls: 0 } })
})
