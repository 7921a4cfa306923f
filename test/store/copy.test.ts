// The copy that is kept before a migration, and a database with calls that is migrated.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getTableColumns } from 'drizzle-orm'
import { UTC } from '../../src/domain/zones.ts'
import { ADDED_COLUMNS } from '../../src/money/ledger/added-calls.ts'
import { audit } from '../../src/money/ledger/audit.ts'
import { dailySums } from '../../src/money/ledger/sums.ts'
import { createWriter } from '../../src/money/ledger/writer.ts'
import type { MigrationCopy } from '../../src/store/engines/sqlite/copy.ts'
import { MIGRATIONS, migrate, schemaVersion } from '../../src/store/engines/sqlite/migrate.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { dbOver } from '../../src/store/engines/sqlite/sqlite.ts'
import { actions, opening_debts, state_changes } from '../../src/store/schema.ts'
import { createScene } from '../app/commands/scene.ts'
import { addAccount, hold, post, voided } from '../money/ledger/world.ts'
import { temporary } from '../support/temporary.ts'

/** The version before the sums of calls. */
const OLD = 3
const COPY = 'tollgate.db.before-0004'

async function inFolder(run: (folder: string, path: string) => void | Promise<void>): Promise<void> {
  using folder = temporary()
  await run(folder.path, folder.at('tollgate.db'))
}

/** Lets a writer over this connection write calls and entries like an older program: without the columns and sums of later ones. */
function writeAsBefore(db: Database): void {
  const writesInto = (table: string) => {
    const columns = db.query<{ name: string }, []>(`SELECT name FROM pragma_table_info('${table}')`).all()
    const names = columns.map(({ name }) => name)
    return `CREATE TEMP TRIGGER ${table}_are_written INSTEAD OF INSERT ON ${table}
      BEGIN INSERT INTO main.${table} (${names.join()}) VALUES (${names.map((name) => `new.${name}`).join()}); END;`
  }
  const [into_calls, into_entries, into_keys, into_holds, into_accounts] = [
    'calls',
    'entries',
    'keys',
    'holds',
    'accounts',
  ].map(writesInto)
  db.run(`
    CREATE TEMP VIEW calls AS SELECT *, 0 AS summed, 0 AS failed_tries, '' AS trace, NULL AS provider_cost_nanos,
      NULL AS price_id, '' AS counted, NULL AS reported_cost_nanos, NULL AS computed_cost_nanos,
      0 AS refunded_nanos, NULL AS costs_elsewhere, 0 AS covered_nanos, NULL AS plan_period_id FROM main.calls;
    ${into_calls}
    CREATE TEMP TRIGGER calls_are_changed INSTEAD OF UPDATE ON calls BEGIN SELECT RAISE (ABORT, 'an older program refunds no calls'); END;
    CREATE TEMP VIEW entries AS SELECT *, NULL AS request_key FROM main.entries;
    ${into_entries}
    CREATE TEMP VIEW keys AS SELECT *, NULL AS concurrent_calls, NULL AS person_id, 0 AS person_from_hold_id FROM main.keys;
    CREATE TEMP TABLE budgets (id, account_id, key_id, period, limit_nanos, started_ms, first_hold_id, used_nanos, person_id, plan_period_id);
    ${into_keys}
    CREATE TEMP VIEW holds AS SELECT id, account_id, key_id, request_id, amount_nanos, state, created_at_ms, expires_at_ms,
      NULL AS gateway_id, 0 AS covered_nanos, NULL AS plan_period_id FROM main.holds;
    ${into_holds}
    CREATE TEMP TRIGGER holds_are_changed INSTEAD OF UPDATE ON holds BEGIN UPDATE main.holds SET state = new.state WHERE id = old.id; END;
    CREATE TEMP TRIGGER holds_are_deleted INSTEAD OF DELETE ON holds BEGIN DELETE FROM main.holds WHERE id = old.id; END;
    CREATE TEMP TRIGGER keys_are_changed INSTEAD OF UPDATE ON keys
      BEGIN UPDATE main.keys SET spent_nanos = new.spent_nanos, held_nanos = new.held_nanos WHERE id = old.id; END;
    CREATE TEMP VIEW accounts AS SELECT *, NULL AS plan_period_id FROM main.accounts;
    ${into_accounts}
    CREATE TEMP TRIGGER accounts_are_changed INSTEAD OF UPDATE ON accounts BEGIN
      UPDATE main.accounts SET balance_nanos = new.balance_nanos, held_nanos = new.held_nanos, debt_nanos = new.debt_nanos WHERE id = old.id; END;
    CREATE TEMP TABLE plan_periods (id, account_id, ends_ms, covers_until_ms, models, overflow, concurrent_calls);
    CREATE TEMP TABLE calls_to_sum (${ADDED_COLUMNS.join()});
    CREATE TEMP TABLE prices (id INTEGER PRIMARY KEY, sha256, json);
    CREATE TEMP TABLE opening_debts (${Object.keys(getTableColumns(opening_debts)).join()});
    CREATE TEMP TABLE state_changes (${Object.keys(getTableColumns(state_changes)).join()});
    CREATE TEMP TABLE actions (${Object.keys(getTableColumns(actions)).join()})`)
}

/** A database as the version before left it: with three calls, one of them voided, and its log not yet in its file. */
function makeOld(path: string): Database {
  const db = new Database(path, { strict: true })
  db.run('PRAGMA journal_mode = WAL')
  migrate(db, MIGRATIONS.slice(0, OLD))
  writeAsBefore(db)
  addAccount(db, 1, { balance: 1_000 })
  createWriter(db).commit([hold(100), hold(100), hold(100), hold(100)])
  createWriter(db).commit([post(1, 70), post(2, 120, { model: 'other' }), voided(3)])
  return db
}

const rowsOf = (db: Database) =>
  ['accounts', 'keys', 'holds', 'calls', 'entries'].map((table) =>
    db.query(`SELECT * FROM main.${table}`).all(),
  )

const copiesIn = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.includes('.before-'))
    .sort()

test('a database with calls is copied, then migrated; its calls are summed, and the copy is the old database', () =>
  inFolder(async (folder, path) => {
    const old = makeOld(path)
    const before = rowsOf(old)
    const copies: MigrationCopy[] = []
    const db = openDatabase(path, { onCopy: (copy) => copies.push(copy) })
    expect(copies).toEqual([{ path: join(folder, COPY), from_version: OLD, to_version: MIGRATIONS.length }])
    expect(schemaVersion(db)).toBe(MIGRATIONS.length)
    const rows = dbOver(db)
    expect((await audit(rows)).findings).toEqual([])
    expect((await dailySums(rows, {}, { zone: UTC })).sums.map(({ model, calls }) => [model, calls])).toEqual(
      [
        ['other', 1],
        ['sim-text', 2],
      ],
    )
    const copy = new Database(join(folder, COPY), { readonly: true })
    expect(schemaVersion(copy)).toBe(OLD)
    expect(copy.query('PRAGMA integrity_check').values()).toEqual([['ok']])
    expect(rowsOf(copy)).toEqual(before)
    expect(statSync(join(folder, COPY)).mode & 0o777).toBe(0o600)
    for (const open of [old, db, copy]) open.close()
  }))

test('a call that a process of the version before records after the migration is summed too', () =>
  inFolder(async (_, path) => {
    const old = makeOld(path)
    const db = openDatabase(path)
    createWriter(old).commit([post(4, 5)])
    const rows = dbOver(db)
    expect((await audit(rows)).findings).toEqual([])
    const { sums } = await dailySums(rows, {}, { zone: UTC })
    expect(sums.reduce((calls, sum) => calls + sum.calls, 0)).toBe(4)
    old.close()
    db.close()
  }))

test('neither a new database nor one that is up to date is copied', () =>
  inFolder((folder, path) => {
    const copies: MigrationCopy[] = []
    for (const _ of ['new', 'again']) openDatabase(path, { onCopy: (copy) => copies.push(copy) }).close()
    expect(copies).toEqual([])
    expect(copiesIn(folder)).toEqual([])
  }))

test('the last three copies are kept, and no other file of a similar name is deleted', () =>
  inFolder((folder, path) => {
    makeOld(path).close()
    const mine = 'tollgate.db.before-0001.mine'
    for (const name of ['before-0001', 'before-0002', 'before-0003'].map((end) => `tollgate.db.${end}`))
      writeFileSync(join(folder, name), '')
    writeFileSync(join(folder, mine), '')
    openDatabase(path).close()
    expect(copiesIn(folder)).toEqual([mine, 'tollgate.db.before-0002', 'tollgate.db.before-0003', COPY])
  }))

test('a migration is refused if its copy cannot be written: the error says what to do, and nothing changes', () =>
  inFolder((folder, path) => {
    makeOld(path).close()
    mkdirSync(join(folder, COPY, 'in-the-way'), { recursive: true })
    expect(() => openDatabase(path)).toThrow(
      /from version 3 to \d+, and the copy.*Nothing was changed. Make room for 1 MiB in /,
    )
    const db = new Database(path)
    expect(schemaVersion(db)).toBe(OLD)
    expect(db.query('SELECT count(*) AS calls FROM calls').get()).toEqual({ calls: 3 })
    db.close()
    expect(copiesIn(folder)).toEqual([COPY])
    rmSync(join(folder, COPY), { recursive: true })
    openDatabase(path).close()
    expect(copiesIn(folder)).toEqual([COPY])
  }))

test.each([
  ['an old database, and copy it once', OLD],
  ['a new database, and copy nothing', 0],
])('processes that start at the same time migrate %s', (_, version) =>
  inFolder(async (folder, path) => {
    if (version > 0) makeOld(path).close()
    const start = () =>
      Bun.spawn(
        [
          process.execPath,
          '-e',
          `const { openDatabase } = await import(${JSON.stringify(join(import.meta.dir, '../../src/store/engines/sqlite/open.ts'))})
           openDatabase(${JSON.stringify(path)}, { onCopy: () => console.log('copied') }).close()`,
        ],
        { stdout: 'pipe', stderr: 'inherit' },
      )
    const children = [start(), start(), start()]
    expect(await Promise.all(children.map(({ exited }) => exited))).toEqual([0, 0, 0])
    const outputs = await Promise.all(children.map(({ stdout }) => stdout.text()))
    expect(outputs.sort()).toEqual(['', '', version > 0 ? 'copied\n' : ''])
    expect(copiesIn(folder)).toEqual(version > 0 ? [COPY] : [])
    for (const [file, expected] of [
      [path, MIGRATIONS.length] as const,
      [join(folder, COPY), version] as const,
    ]) {
      if (!existsSync(file)) continue
      using db = new Database(file, { readonly: true })
      expect(schemaVersion(db)).toBe(expected)
    }
  }),
)

test('a command that migrates names the copy, also with --json', async () => {
  const scene = createScene()
  for (const end of ['', '-wal', '-shm']) rmSync(scene.path(`tollgate.db${end}`), { force: true })
  makeOld(scene.path('tollgate.db')).close()
  const { err, out } = await scene.run('account', 'create', 'anna', '--json')
  expect(err).toContain(`A copy of the old one is kept: ${scene.path(COPY)}`)
  expect(JSON.parse(out).name).toBe('anna')
  expect(existsSync(scene.path(COPY))).toBe(true)
  scene.remove()
})
