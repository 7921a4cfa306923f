// The integrity of a PostgreSQL database below its rows: the server's reports on indexes and pages, and whether all parts of its version
// exist.
import { copiedTables } from '../../copying/tables.ts'
import type { Db } from '../../db.ts'
import type { Integrity, Part } from '../sqlite/integrity.ts'
import { SCHEMA } from './connection.ts'
import { MIGRATIONS } from './migrate.ts'

/** A part, and the number of parts with that name. */
interface Counted extends Part {
  count: number
}

/** Checks all indexes, including those of constraints. */
const INVALID = `SELECT c.relname AS name FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
  WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND NOT (i.indisvalid AND i.indisready) ORDER BY 1`

/** Since the statistics of this database began; NULL if the server keeps no checksums. */
const FAILED_PAGES = `SELECT checksum_failures AS count, checksum_last_failure::text AS last
  FROM pg_stat_database WHERE datname = current_database() AND checksum_failures > 0`

/** A disabled trigger counts as missing. */
const PARTS = `SELECT 'table ' || relname AS name, 1 AS count FROM pg_class
    WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind = 'r'
  UNION ALL SELECT 'column ' || c.relname || '.' || a.attname, 1 FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
    WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL SELECT 'sequence of ' || c.relname, 1 FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
    WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND c.relkind = 'r' AND a.attidentity <> ''
  UNION ALL SELECT 'index ' || relname, 1 FROM pg_class WHERE relnamespace = '${SCHEMA}'::regnamespace AND relkind = 'i'
  UNION ALL SELECT 'function ' || proname, 1 FROM pg_proc WHERE pronamespace = '${SCHEMA}'::regnamespace
  UNION ALL SELECT 'trigger ' || t.tgname, 1 FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid
    WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND NOT t.tgisinternal AND t.tgenabled <> 'D'
  UNION ALL SELECT 'constraint of ' || c.relname, count(*) FROM pg_constraint AS o JOIN pg_class AS c ON c.oid = o.conrelid
    WHERE o.connamespace = '${SCHEMA}'::regnamespace AND o.contype IN ('p', 'u', 'c', 'f') GROUP BY c.relname`

/** @param db over the database */
export const serverIntegrity = (db: Db): Integrity => ({
  meaning: {
    database_is_whole: 'Every index is valid, and no page has failed its checksum.',
    database_is_complete:
      'The database has all tables, columns, constraints, indexes, triggers, functions and sequences of its version.',
  },
  advice: {
    first: 'Stop the gateways and make a backup of the server.',
    damaged:
      `Rebuild an invalid index: \`REINDEX INDEX CONCURRENTLY ${SCHEMA}.NAME\`. Pages that fail their checksum mean a fault of ` +
      'the disk or the memory: go on with a standby or a restored backup. `SELECT pg_stat_reset()` sets their count back.',
    command: (sql) => `psql DATABASE -c 'SET search_path TO ${SCHEMA}' -c '${sql.replaceAll("'", "'\\''")}'`,
  },
  reads_all: false,
  async damage() {
    const invalid = await db.rows<{ name: string }>(INVALID)
    const failed = await db.rows<{ count: number; last: string }>(FAILED_PAGES)
    return [
      ...invalid.map(({ name }) => `index ${name} is not valid`),
      ...failed.map(({ count, last }) => `pages failed their checksum: ${count}, the last at ${last}`),
    ]
  },
  async missing() {
    const found = await db.rows<{ name: string; count: number }>(PARTS)
    const counts = new Map(found.map(({ name, count }) => [name, count]))
    expected ??= expectedParts()
    return expected.filter(({ name, count }) => (counts.get(name) ?? 0) < count)
  },
  [Symbol.dispose]: () => {},
})

let expected: readonly Counted[] | undefined

/** Returns all parts of this version: from the texts of the migrations, with the columns from SQLite. */
export function expectedParts(): Counted[] {
  const statements = withoutDropped(MIGRATIONS.flatMap(({ sql }) => statementsOf(sql)))
  const parts = statements.flatMap((statement) => [
    ...createdParts(statement),
    ...droppedParts(statement, statements),
  ])
  const columns = copiedTables().flatMap(({ name, columns }) =>
    columns.map((column) => ({ name: `column ${name}.${column.name}`, sql: '', count: 1 })),
  )
  const by_name = Map.groupBy([...parts, ...columns], ({ name }) => name)
  return Array.from(by_name.values(), (same_name) => {
    const count = same_name.reduce((sum, part) => sum + part.count, 0)
    return { name: '', sql: '', ...same_name[0], count }
  }).filter(({ count }) => count > 0)
}

/** Splits a text into one-line statements, without comments and dollar-quoted bodies. */
const statementsOf = (text: string): string[] =>
  text
    .replaceAll(/--.*$/gm, '')
    .replaceAll(/\$\$.*?\$\$/gs, "''")
    .split(/;\s*\n/)
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())

/** Removes statements on dropped tables, with all parts created on them before, and on dropped indexes; also if one of the same name follows. */
function withoutDropped(statements: readonly string[]): string[] {
  let remaining: string[] = []
  for (const statement of statements) {
    const dropped = /^DROP TABLE (\w+)/.exec(statement)?.[1]
    const index = /^DROP INDEX (\w+)/.exec(statement)?.[1]
    const isOfIt = (one: string) =>
      index
        ? INDEX.exec(one)?.[1] === index
        : OF_TABLE.exec(one)?.[1] === dropped || ON_TABLE.exec(one)?.[1] === dropped
    remaining = dropped || index ? remaining.filter((one) => !isOfIt(one)) : [...remaining, statement]
  }
  return remaining
}

const INDEX = /^CREATE (?:UNIQUE )?INDEX (\w+)/
const MADE: readonly (readonly [what: string, made: RegExp])[] = [
  ['table', /^CREATE (?:UNLOGGED )?TABLE (\w+)/],
  ['index', INDEX],
  ['function', /^CREATE FUNCTION (\w+)/],
  ['trigger', /^CREATE TRIGGER (\w+)/],
]
const OF_TABLE = /^(?:CREATE (?:UNLOGGED )?|ALTER )TABLE (\w+)/
const ON_TABLE = /^CREATE (?:(?:UNIQUE )?INDEX|TRIGGER) .*? ON (\w+)/

function createdParts(statement: string): Counted[] {
  const parts: Counted[] = []
  for (const [what, made] of MADE) {
    const name = made.exec(statement)?.[1]
    if (name) parts.push({ name: `${what} ${name}`, sql: what === 'index' ? statement : '', count: 1 })
  }
  const table = OF_TABLE.exec(statement)?.[1]
  if (!table) return parts
  const times = (words: RegExp) => statement.match(words)?.length ?? 0
  const constraints = times(/\b(CHECK|REFERENCES|UNIQUE|PRIMARY KEY)\b/g)
  return [
    ...parts,
    { name: `constraint of ${table}`, sql: '', count: constraints },
    { name: `sequence of ${table}`, sql: '', count: times(/\bAS IDENTITY\b/g) },
  ]
}

/** Returns the negative counts of dropped constraints, and of dropped columns with their checks. */
function droppedParts(statement: string, statements: readonly string[]): Counted[] {
  const table = OF_TABLE.exec(statement)?.[1]
  const own = statements.filter((one) => table !== undefined && OF_TABLE.exec(one)?.[1] === table).join()
  const of_columns = Array.from(
    statement.matchAll(/\bDROP COLUMN (\w+)/g),
    ([, column]) => own.split(`CHECK (${column} `).length - 1,
  )
  const dropped = statement.match(/\bDROP CONSTRAINT\b/g)?.length ?? 0
  return [dropped, ...of_columns].map((count) => ({
    name: `constraint of ${table}`,
    sql: '',
    count: -count,
  }))
}
