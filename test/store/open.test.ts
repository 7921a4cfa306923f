// Opening and migrating a database, and the databases that are refused.
import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { MIGRATIONS, migrate, schemaVersion } from '../../src/store/engines/sqlite/migrate.ts'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { folderOfEachTest } from '../support/test-folder.ts'

const folder = folderOfEachTest()
const pathOf = () => folder.at('tollgate.db')

const pragma = (db: Database, name: string) => db.query(`PRAGMA ${name}`).values()[0]?.[0]
const tables = (db: Database) => db.query('SELECT name, sql FROM sqlite_schema ORDER BY name').all()

describe('an opened database', () => {
  test.each([
    ['journal_mode', 'wal'],
    ['synchronous', 2],
    ['busy_timeout', 5_000],
    ['wal_autocheckpoint', 4_000],
    ['foreign_keys', 1],
    ['recursive_triggers', 1],
    ['user_version', MIGRATIONS.length],
  ])('has %s = %p', (name, value) => {
    const path = pathOf()
    const db = openDatabase(path)
    expect(pragma(db, name)).toBe(value)
    db.close()
  })

  test('that is read-only refuses to write', () => {
    const path = pathOf()
    openDatabase(path).close()
    const db = openDatabase(path, { readonly: true })
    expect(db.query('SELECT count(*) AS count FROM accounts').get()).toEqual({ count: 0 })
    expect(() => db.run('DELETE FROM accounts')).toThrow(/readonly/)
    db.close()
  })

  test('that is read-only is never created', () => {
    const path = pathOf()
    expect(() => openDatabase(path, { readonly: true })).toThrow(/unable to open/)
  })

  test('that is read-only is refused when its tables are not up to date', () => {
    const path = pathOf()
    new Database(path).run('CREATE TABLE other (id INTEGER)')
    expect(() => openDatabase(path, { readonly: true })).toThrow(
      /version 0.*Start the gateway with this program/,
    )
  })

  test.each([{ readonly: true }, { readonly: false }])(
    'of a newer program is refused and not changed (%p)',
    (options) => {
      const path = pathOf()
      const newer = new Database(path)
      newer.run('CREATE TABLE from_the_future (id INTEGER)')
      newer.run(`PRAGMA user_version = ${MIGRATIONS.length + 1}`)
      newer.close()
      const before = readFileSync(path)
      const refusal = new RegExp(
        `version ${MIGRATIONS.length + 1}.*up to ${MIGRATIONS.length}.*newer program`,
      )
      expect(() => openDatabase(path, options)).toThrow(refusal)
      expect(readFileSync(path)).toEqual(before)
    },
  )

  test('that is another kind of file is refused and not changed', () => {
    const path = pathOf()
    writeFileSync(
      path,
      'these are notes, and no database, and they are longer than a header of one'.repeat(20),
    )
    const before = readFileSync(path)
    expect(() => openDatabase(path)).toThrow(/not a database/)
    expect(readFileSync(path)).toEqual(before)
  })
})

describe('migrations', () => {
  test('are applied once, even if a database is opened again', () => {
    const path = pathOf()
    const db = openDatabase(path)
    const first = tables(db)
    expect(migrate(db)).toBe(0)
    const again = openDatabase(path)
    expect(tables(again)).toEqual(first)
    again.close()
    db.close()
  })

  test('continue from the version of the database, in order', () => {
    const db = new Database(':memory:')
    const [first, second, third] = [
      'CREATE TABLE a (x)',
      'INSERT INTO a VALUES (1)',
      'UPDATE a SET x = x + 1',
    ] as const
    expect(migrate(db, [first])).toBe(1)
    expect(migrate(db, [first, second, third])).toBe(2)
    expect(migrate(db, [first, second, third])).toBe(0)
    expect(db.query('SELECT x FROM a').all()).toEqual([{ x: 2 }])
    expect(schemaVersion(db)).toBe(3)
  })

  test('that fail leave the database as it was, without the earlier ones', () => {
    const db = new Database(':memory:')
    const broken = 'CREATE TABLE b (x); INSERT INTO missing VALUES (1)'
    expect(() => migrate(db, ['CREATE TABLE a (x)', broken, 'CREATE TABLE c (x)'])).toThrow(/missing/)
    expect(schemaVersion(db)).toBe(0)
    expect(tables(db)).toEqual([])
    expect(migrate(db, ['CREATE TABLE a (x)', 'CREATE TABLE b (x)'])).toBe(2)
  })
})
