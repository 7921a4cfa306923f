// The tables on PostgreSQL: the same as SQLite's newest, column by column and index by index.
import { describe, expect, test } from 'bun:test'
import { NEWEST } from '../../../src/store/engines/postgres/migrate.ts'
import { MIGRATIONS } from '../../../src/store/engines/sqlite/migrate.ts'
import { memoryDatabase } from '../../support/empty-database.ts'
import { databaseOfFile, hasPostgres } from '../../support/postgres.ts'

/** A table in a form that both engines share. */
interface Table {
  columns: string[]
  unique: string[]
  indexes: string[]
}

type Tables = Record<string, Table>

test('both engines know the same number of migrations', () => {
  expect(NEWEST).toBe(MIGRATIONS.length)
})

interface Info {
  name: string
  type: string
  notnull: number
  pk: number
}

interface Index {
  name: string
  unique: number
  origin: string
  sql: string | null
  parts: string
}

const TYPES: Record<string, string> = { INTEGER: 'bigint', TEXT: 'text', BLOB: 'bytea' }

const columnOf = ({ name, type, notnull, pk }: Info): string =>
  `${name} ${TYPES[type]}${notnull || pk ? ' NOT NULL' : ''}`

/** The columns and the condition of an index, in a spelling that both engines share. */
const partsOf = (text: string): string =>
  (/ ON (?:\w+\.)?"?\w+"? (?:USING btree )?(.*)$/s.exec(text)?.[1] ?? '')
    .replace(/'(\w+)'::text/g, "'$1'")
    .replace(/COALESCE/g, 'coalesce')
    .replace(/^\((.*?)\)( WHERE |$)/, '$1$2')
    .replace(/[()"]|::bigint|COLLATE "C"/g, '')
    .replace(/\s+/g, ' ')
    .trim()

const { db } = await databaseOfFile()
const [there, here] = [hasPostgres ? await ofPostgres() : {}, ofSqlite()]

describe.if(hasPostgres)('the tables', () => {
  test('of both have the same names', () => {
    expect(Object.keys(there).sort()).toEqual(Object.keys(here).sort())
    expect(Object.keys(here).length).toBeGreaterThan(20)
  })

  test.each(Object.keys(here))('%s: the same columns in order, with their types and nullability', (name) => {
    expect(there[name]?.columns).toEqual(here[name]?.columns as string[])
  })

  test.each(Object.keys(here))('%s: the same unique constraints', (name) => {
    expect(there[name]?.unique).toEqual(here[name]?.unique as string[])
  })

  test.each(Object.keys(here))('%s: the same indexes, with their columns and conditions', (name) => {
    expect(there[name]?.indexes).toEqual(here[name]?.indexes as string[])
  })

  test('compare every text by its bytes', async () => {
    const others = await db.rows<{ column: string }>(
      `SELECT attrelid::regclass || '.' || attname AS column FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
       WHERE relnamespace = 'tollgate'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped
         AND atttypid = 'text'::regtype AND attcollation <> '"C"'::regcollation`,
    )
    expect(others).toEqual([])
  })

  test('have no references from holds, calls and entries to other rows', async () => {
    const rows = await db.rows<{ name: string }>(
      "SELECT DISTINCT conrelid::regclass::text AS name FROM pg_constraint WHERE contype = 'f' ORDER BY name",
    )
    const referring = rows.map(({ name }) => name)
    expect(referring).toContain('keys')
    expect(referring).not.toContainAnyValues(['holds', 'calls', 'entries'])
  })
})

async function ofPostgres(): Promise<Tables> {
  const names = await db.rows<{ name: string }>(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'tollgate'::regnamespace AND relkind = 'r' AND relname NOT IN ('schema', 'commits')",
  )
  return Object.fromEntries(await Promise.all(names.map(async ({ name }) => [name, await tableOf(name)])))
}

async function tableOf(name: string): Promise<Table> {
  const columns = await db.rows<{ said: string }>(
    `SELECT attname || ' ' || format_type(atttypid, NULL) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END AS said
     FROM pg_attribute WHERE attrelid = $name::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    { name },
  )
  const indexes = await db.rows<{ name: string; text: string; is_unique: number; is_constraint: number }>(
    `SELECT relname AS name, pg_get_indexdef(indexrelid) AS text, indisunique AS is_unique,
            EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = indexrelid) AS is_constraint
     FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE indrelid = $name::text::regclass`,
    { name },
  )
  return {
    columns: columns.map(({ said }) => said),
    unique: indexes
      .filter(({ is_constraint }) => is_constraint)
      .map(({ text }) => partsOf(text))
      .sort(),
    indexes: indexes
      .filter(({ is_constraint }) => !is_constraint)
      .map(({ name: index, text, is_unique }) => `${is_unique ? 'unique ' : ''}${index} ${partsOf(text)}`)
      .sort(),
  }
}

function ofSqlite(): Tables {
  const db = memoryDatabase()
  const names = db
    .query<{ name: string }, []>("SELECT name FROM sqlite_master WHERE type = 'table'")
    .all()
    .map(({ name }) => name)
  const tables = names.map((name): [string, Table] => {
    const columns = db.query<Info, [string]>('SELECT * FROM pragma_table_info(?)').all(name)
    const indexes = db
      .query<Index, [string]>(
        `SELECT list.name, "unique", origin, sql, (SELECT group_concat(i.name, ', ') FROM pragma_index_info(list.name) AS i) AS parts
         FROM pragma_index_list(?) AS list LEFT JOIN sqlite_master AS m ON m.name = list.name`,
      )
      .all(name)
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk)
    const constraints = indexes.filter(({ origin }) => origin === 'u').map(({ parts }) => parts)
    return [
      name,
      {
        columns: columns.map((column) => columnOf(column)),
        unique: [...constraints, key.map((column) => column.name).join(', ')].sort(),
        indexes: indexes
          .filter(({ sql }) => sql !== null)
          .map((index) => `${index.unique ? 'unique ' : ''}${index.name} ${partsOf(index.sql ?? '')}`)
          .sort(),
      },
    ]
  })
  db.close()
  return Object.fromEntries(tables)
}
