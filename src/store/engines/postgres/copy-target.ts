// An empty PostgreSQL database as the target of a copy.
import { conflict } from '../../../domain/errors.ts'
import { type CopiedColumn, type CopiedTable, copiedTables } from '../../copying/tables.ts'
import type { CopyTarget, CopyWriter, Row, Value } from '../../copying/target.ts'
import type { Db } from '../../db.ts'
import { SCHEMA } from './connection.ts'
import type { PostgresDb } from './db.ts'
import { storableText } from './values.ts'

/** The source's rows are read in between, from a disk that may be slow. */
const MAX_IDLE = '60s'

const EMPTY = `Name an empty database, or empty this one, if nothing in it is needed: DROP SCHEMA ${SCHEMA} CASCADE.`

/** Fills it in one transaction, during which nobody else writes these tables. @param db with all tables */
export const postgresTarget = (db: PostgresDb): CopyTarget => ({
  fill: (work) =>
    db.begin(async (tx) => {
      await tx.rows(`SET LOCAL idle_in_transaction_session_timeout = '${MAX_IDLE}'`)
      // A writer of one of these tables waits for it, and then finds the rows.
      for (const { name } of copiedTables()) await tx.rows(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
      await refuseRows(tx)
      for (const { name, is_preset } of copiedTables()) if (is_preset) await tx.rows(`DELETE FROM ${name}`)
      const done = await work(copyWriterOf(tx))
      for (const { name } of copiedTables()) await tx.rows(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
      // Without statistics, the first queries would use plans that are slow for this many rows.
      for (const { name } of copiedTables()) await tx.rows(`ANALYZE ${name}`)
      return done
    }),
})

/** @throws GatewayError conflict if any table has rows */
export async function refuseRows(tx: Db): Promise<void> {
  const tables = copiedTables().filter(({ is_preset }) => !is_preset)
  const [found = {}] = await tx.rows<Record<string, number>>(
    `SELECT ${tables.map(({ name }) => `EXISTS (SELECT 1 FROM ${name}) AS ${name}`).join(', ')}`,
  )
  const filled = tables.find(({ name }) => found[name])
  if (filled) throw conflict(`The database is not empty: it has ${filled.name}. ${EMPTY}`)
}

const copyWriterOf = (tx: Db): CopyWriter => ({
  rows: (text, values) => tx.rows(text, values),
  storable: storableText,
  async insert({ name, columns }, rows) {
    const names = columns.map((column) => `"${column.name}"`).join(', ')
    const arrays = columns.map((column) => `$${column.name}::text::${TYPES[column.type]}[]`).join(', ')
    await tx.rows(`INSERT INTO ${name} (${names}) SELECT * FROM unnest(${arrays})`, arraysOf(columns, rows))
  },
  async goOnAfter({ name, key: [id = ''] }, newest) {
    // Null if the table has no sequence.
    await tx.rows('SELECT setval(pg_get_serial_sequence($name::text, $id::text), $newest)', {
      name,
      id,
      newest,
    })
  },
})

const TYPES: Readonly<Record<CopiedColumn['type'], string>> = {
  integer: 'bigint',
  text: 'text',
  blob: 'bytea',
}

/** Returns the values of each column as an array literal. https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO */
const arraysOf = (columns: CopiedTable['columns'], rows: readonly Row[]): Record<string, string> =>
  Object.fromEntries(
    columns.map(({ name }) => [name, `{${rows.map((row) => elementOf(row[name] ?? null)).join(',')}}`]),
  )

function elementOf(value: Value): string {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return String(value)
  if (value instanceof Uint8Array) return `"\\\\x${value.toHex()}"`
  return `"${value.replace(/["\\]/g, '\\$&')}"`
}
