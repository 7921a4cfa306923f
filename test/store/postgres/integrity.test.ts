// The integrity of a database on PostgreSQL below its rows: an audit finds missing parts, and invalid indexes.
import { describe, expect, test } from 'bun:test'
import type { Db } from '../../../src/store/db.ts'
import { expectedParts, serverIntegrity } from '../../../src/store/engines/postgres/integrity.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

const { db } = await databaseOfFile()

/** Looks at the database after statements, which are then undone. */
async function after(statements: readonly string[], look: (tx: Db) => Promise<void>): Promise<void> {
  const undone = db.begin(async (tx) => {
    for (const text of statements) await tx.rows(text)
    await look(tx)
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
}

const missing = async (within: Db) => (await serverIntegrity(within).missing()).map(({ name }) => name)

describe.if(hasPostgres)('a database', () => {
  test('that is whole and complete has no findings', async () => {
    const integrity = serverIntegrity(db)
    expect([await integrity.damage(), await integrity.missing()]).toEqual([[], []])
  })

  test('is checked for all parts that the migrations make', async () => {
    const rows = await db.rows<{ name: string }>(
      `SELECT 'table ' || tablename AS name FROM pg_tables WHERE schemaname = 'tollgate'
       UNION ALL SELECT 'column ' || table_name || '.' || column_name FROM information_schema.columns
         WHERE table_schema = 'tollgate' AND table_name NOT IN ('schema', 'commits')
       UNION ALL SELECT 'sequence of ' || table_name FROM information_schema.columns WHERE table_schema = 'tollgate' AND is_identity = 'YES'
       UNION ALL SELECT 'index ' || indexname FROM pg_indexes WHERE schemaname = 'tollgate' AND indexname NOT IN (SELECT conname FROM pg_constraint)
       UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal
       UNION ALL SELECT 'function ' || routine_name FROM information_schema.routines WHERE routine_schema = 'tollgate'
       UNION ALL SELECT DISTINCT 'constraint of ' || conrelid::regclass FROM pg_constraint WHERE connamespace = 'tollgate'::regnamespace AND contype <> 'n'`,
    )
    const names = expectedParts().map(({ name }) => name)
    expect(names.sort()).toEqual(rows.map(({ name }) => name).sort())
    expect(names.length).toBeGreaterThan(400)
  })

  test('is checked for each constraint', async () => {
    const rows = await db.rows<{ name: string; count: number }>(
      `SELECT 'constraint of ' || conrelid::regclass AS name, count(*) AS count FROM pg_constraint
        WHERE connamespace = 'tollgate'::regnamespace AND contype <> 'n' GROUP BY 1`,
    )
    const expected = expectedParts().filter(({ name }) => name.startsWith('constraint of '))
    expect(new Map(expected.map(({ name, count }) => [name, count]))).toEqual(
      new Map(rows.map(({ name, count }) => [name, count])),
    )
  })

  test.each<[part: string, statement: string, names: string[]]>([
    ['an index', 'DROP INDEX calls_by_account', ['index calls_by_account']],
    [
      'a column, and the index over it',
      'ALTER TABLE sessions DROP COLUMN expires_at_ms',
      ['column sessions.expires_at_ms', 'index sessions_by_expiry'],
    ],
    ['a check', 'ALTER TABLE files DROP CONSTRAINT files_bytes_check', ['constraint of files']],
    ['a unique constraint', 'ALTER TABLE keys DROP CONSTRAINT keys_sha256_key', ['constraint of keys']],
    ['a reference', 'ALTER TABLE keys DROP CONSTRAINT keys_account_id_fkey', ['constraint of keys']],
    ['a trigger', 'DROP TRIGGER entries_are_never_deleted ON entries', ['trigger entries_are_never_deleted']],
    [
      'an enabled trigger',
      'ALTER TABLE entries DISABLE TRIGGER entries_are_never_deleted',
      ['trigger entries_are_never_deleted'],
    ],
    ['a function', 'DROP FUNCTION randomblob', ['function randomblob']],
    ['a sequence', 'ALTER TABLE entries ALTER COLUMN id DROP IDENTITY', ['sequence of entries']],
  ])('is found to lack %s', async (_, statement, names) => {
    await after([statement], async (tx) => {
      expect((await missing(tx)).sort()).toEqual(names.sort())
      expect(await serverIntegrity(tx).damage()).toEqual([])
    })
  })

  test('is found to lack a table, with all its parts', async () => {
    await after(['DROP TABLE alert_sendings'], async (tx) => {
      const names = await missing(tx)
      expect(names).toContain('table alert_sendings')
      expect(names.filter((name) => !name.includes('alert_sendings'))).toEqual([])
    })
  })

  test('gets its missing indexes back by the statements in the findings', async () => {
    const shape = async (within: Db) =>
      await within.rows(
        "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'tollgate' AND indexname NOT IN (SELECT conname FROM pg_constraint) ORDER BY 1",
      )
    const before = (await shape(db)) as { indexname: string }[]
    await after(
      before.map(({ indexname }) => `DROP INDEX ${indexname}`),
      async (tx) => {
        const parts = await serverIntegrity(tx).missing()
        expect(parts).toHaveLength(before.length)
        for (const { sql } of parts) await tx.rows(sql)
        expect(await shape(tx)).toEqual(before)
      },
    )
  })

  test('is found to have an invalid index', async () => {
    const invalid = "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'keys_by_account'::regclass"
    await after([invalid], async (tx) => {
      expect(await serverIntegrity(tx).damage()).toEqual(['index keys_by_account is not valid'])
      expect(await missing(tx)).toEqual([])
    })
  })
})
