// Migrations on PostgreSQL: they only add if older programs go on over the same tables, and they let the calls of running gateways pass.
import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { Connection } from '../../../src/store/engines/postgres/connection.ts'
import { MIGRATIONS, migrate, NEWEST } from '../../../src/store/engines/postgres/migrate.ts'
import { eventually } from '../../support/eventually.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'
import { onlyAdds } from './only-adds.ts'

describe('a migration beside which older programs go on only adds', () => {
  test.each(MIGRATIONS.filter(({ version, readable_from }) => readable_from < version))(
    'number $version',
    ({ sql }) => {
      expect(onlyAdds(sql)).toEqual([])
    },
  )

  const NEW = 'CREATE TABLE t (id bigint PRIMARY KEY)'
  test.each([
    'ALTER TABLE keys ADD COLUMN a bigint',
    `ALTER TABLE calls ADD COLUMN a text COLLATE "C" NOT NULL DEFAULT 'a;b'`,
    'ALTER TABLE calls ADD COLUMN a bigint NOT NULL DEFAULT -1 -- such as this; DROP TABLE calls',
    'ALTER TABLE keys ADD COLUMN a bigint NOT NULL DEFAULT 0 CHECK (a IN (0, 1))',
    'CREATE INDEX keys_by_a ON keys (a) WHERE a > 0',
    `${NEW}; CREATE UNIQUE INDEX t_by_a ON t (a); ALTER TABLE t ADD UNIQUE (a); INSERT INTO t VALUES (1)`,
    `${NEW}; CREATE TRIGGER a BEFORE INSERT ON t EXECUTE FUNCTION b()`,
    'CREATE UNLOGGED TABLE t (id bigint)',
    'CREATE FUNCTION f() RETURNS bigint LANGUAGE sql RETURN 1',
  ])('%s is allowed', (sql) => {
    expect(onlyAdds(sql)).toEqual([])
  })

  test.each([
    'DROP TABLE rates',
    'ALTER TABLE keys DROP COLUMN a',
    'ALTER TABLE keys RENAME COLUMN a TO b',
    'ALTER TABLE keys RENAME TO others',
    'ALTER TABLE keys ALTER COLUMN a TYPE text',
    'ALTER TABLE keys ALTER COLUMN a SET NOT NULL',
    'ALTER TABLE keys ADD CONSTRAINT a CHECK (a > 0)',
    'ALTER TABLE keys ADD UNIQUE (a)',
    // An older program gives no value.
    'ALTER TABLE keys ADD COLUMN a bigint NOT NULL',
    // Rewrites or reads every row while the table is locked.
    'ALTER TABLE keys ADD COLUMN a bigint NOT NULL DEFAULT now_ms()',
    'ALTER TABLE keys ADD COLUMN a bigint GENERATED ALWAYS AS (id + 1) STORED',
    'ALTER TABLE calls ADD COLUMN a bigint NOT NULL DEFAULT 0 CHECK (a IN (0, 1))',
    'ALTER TABLE keys ADD COLUMN a bigint REFERENCES accounts (id)',
    'ALTER TABLE keys ADD COLUMN a bigint UNIQUE',
    'CREATE INDEX calls_by_a ON calls (a)',
    'CREATE UNIQUE INDEX keys_by_a ON keys (a)',
    'CREATE TRIGGER a BEFORE INSERT ON keys EXECUTE FUNCTION b()',
    'CREATE OR REPLACE FUNCTION now_ms() RETURNS bigint LANGUAGE sql RETURN 1',
    'UPDATE keys SET a = 1',
    'INSERT INTO keys VALUES (1)',
    'DELETE FROM keys',
    `${NEW}; DROP TABLE rates`,
  ])('%s is refused', (sql) => {
    expect(onlyAdds(sql)).toHaveLength(1)
  })
})

const { url, db } = await databaseOfFile()

describe.if(hasPostgres)('beside running gateways', () => {
  const FURTHER = {
    version: NEWEST + 1,
    sql: 'ALTER TABLE accounts ADD COLUMN further bigint NOT NULL DEFAULT 7',
    readable_from: NEWEST,
  }
  const waiting = async () =>
    (
      await db.rows(
        `SELECT 1 FROM pg_locks JOIN pg_database ON database = pg_database.oid
         WHERE datname = current_database() AND NOT granted AND mode = 'AccessExclusiveLock'`,
      )
    ).length > 0
  const touch = () => db.begin((tx) => tx.rows('UPDATE accounts SET held_nanos = held_nanos RETURNING id'))

  test('a migration waits for a long transaction, and the calls do not wait behind it', async () => {
    await db.write((within) =>
      within.rows(
        "INSERT INTO accounts (id, name, status, balance_nanos, held_nanos, debt_nanos, created_at_ms) VALUES (1, 'a', 'active', 0, 0, 0, 0)",
      ),
    )
    await using long = new SQL({ url, max: 1, idleTimeout: 0 })
    await long.unsafe('BEGIN; SELECT 1 FROM tollgate.accounts')
    const connection = await Connection.open(url)
    const migrating = migrate(connection, [...MIGRATIONS, FURTHER])
    await eventually('the migration waits', waiting)
    for (let nth = 0; nth < 3; nth += 1) expect(await touch()).toEqual([{ id: 1 }])
    expect(await db.rows('SELECT version FROM schema')).toEqual([{ version: NEWEST }])
    await long.unsafe('COMMIT')
    expect(await migrating).toBe(1)
    await connection.close()
    expect(await db.rows('SELECT further FROM accounts')).toEqual([{ further: 7 }])
    expect(await db.rows('SELECT version FROM schema')).toEqual([{ version: NEWEST + 1 }])
  })
})
