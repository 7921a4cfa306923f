// The tables of a new database, made at once: they are those that the migrations make one after the other.
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { isAsMade, missingParts, partsOf } from '../../src/store/engines/sqlite/integrity.ts'
import { MIGRATIONS, migrate, schemaVersion } from '../../src/store/engines/sqlite/migrate.ts'

/** The content of a database: the text of every table, index and trigger in the order of their making, and the rows. */
function contentOf(db: Database) {
  const parts = db
    .query<{ type: string; name: string; sql: string | null }, []>(
      'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid',
    )
    .all()
  const tables = parts.filter(({ type }) => type === 'table')
  const rows = tables.map(({ name }) => [name, db.query(`SELECT * FROM "${name}"`).values()])
  return { version: schemaVersion(db), parts, rows }
}

test('a new database has the tables of all migrations, and their version', () => {
  const [at_once, one_by_one] = [new Database(':memory:'), new Database(':memory:')]
  expect(migrate(at_once)).toBe(MIGRATIONS.length)
  // Only the program's own list of migrations is applied at once.
  expect(migrate(one_by_one, [...MIGRATIONS])).toBe(MIGRATIONS.length)
  expect(contentOf(at_once)).toEqual(contentOf(one_by_one))
})

test('a new database is recognized as made, and one that lacks any part is not', () => {
  const db = new Database(':memory:')
  migrate(db)
  const parts = partsOf(db)
  expect(isAsMade(parts)).toBe(true)
  const unknown = parts.filter((part) => part.sql !== '' && isAsMade(parts.filter((each) => each !== part)))
  expect(unknown).toEqual([])
})

test('a table without its constraint is found to lack its index', () => {
  const db = new Database(':memory:')
  migrate(db)
  const sql = partsOf(db).find(({ name }) => name === 'table accounts')?.sql ?? ''
  db.run('DROP TABLE accounts')
  db.run(sql.replace(' UNIQUE', ''))
  expect(missingParts(db)).toEqual([{ name: 'index sqlite_autoindex_accounts_1', sql: '' }])
})
