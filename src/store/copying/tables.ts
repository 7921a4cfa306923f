// The tables in the order in which their rows are copied: each after those that it refers to. They are read from an empty database, so
// that the tables of removed plugins are copied, too.
import { Database } from 'bun:sqlite'
import { closing } from '../../utilities/at-end.ts'
import { migrate } from '../engines/sqlite/migrate.ts'

export interface CopiedTable {
  readonly name: string
  readonly columns: readonly CopiedColumn[]
  /** The columns of its primary key, by which its rows are ordered. */
  readonly key: readonly string[]
  /** Whether a new database has rows in it. */
  readonly is_preset: boolean
}

export interface CopiedColumn {
  readonly name: string
  readonly type: 'integer' | 'text' | 'blob'
}

let known: readonly CopiedTable[] | undefined

export function copiedTables(): readonly CopiedTable[] {
  known ??= readTables()
  return known
}

function readTables(): CopiedTable[] {
  using db = closing(new Database(':memory:'))
  migrate(db)
  const made = db
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY rowid",
    )
    .all()
  const ordered = new Map<string, CopiedTable>()
  const add = (name: string) => {
    if (ordered.has(name)) return
    for (const other of referencesOf(db, name)) if (other !== name) add(other)
    ordered.set(name, readTable(db, name))
  }
  for (const { name } of made) add(name)
  return [...ordered.values()]
}

const referencesOf = (db: Database, table: string): string[] =>
  db
    .query<{ table: string }, [string]>('SELECT "table" FROM pragma_foreign_key_list(?)')
    .all(table)
    .map(({ table }) => table)

function readTable(db: Database, name: string): CopiedTable {
  const columns = db
    .query<{ name: string; type: string; pk: number }, [string]>(
      'SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid',
    )
    .all(name)
  return {
    name,
    columns: columns.map(({ name, type }) => ({ name, type: type.toLowerCase() as CopiedColumn['type'] })),
    key: columns
      .filter(({ pk }) => pk > 0)
      .sort((one, other) => one.pk - other.pk)
      .map(({ name }) => name),
    is_preset: db.query(`SELECT 1 FROM "${name}"`).get() !== null,
  }
}

/** Columns that contain ids of a table's rows, even of deleted ones. */
const REFERENCES: Readonly<Record<string, readonly (readonly [table: string, column: string])[]>> = {
  gateways: [
    ['holds', 'gateway_id'],
    ['generations', 'gateway_id'],
    ['files', 'gateway_id'],
    ['idempotency_keys', 'gateway_id'],
  ],
  sessions: [['actions', 'session_id']],
  people: [
    ['actions', 'person_id'],
    ['terms_acceptances', 'person_id'],
    ['invitations', 'invited_by'],
    ['budgets', 'person_id'],
    ['orders', 'person_id'],
    ['payment_customers', 'card_person_id'],
  ],
  holds: [
    ['calls', 'id'],
    ['entries', 'call_id'],
    ['generations', 'call_id'],
    ['idempotency_keys', 'after_hold_id'],
    ['budgets', 'first_hold_id'],
  ],
}

/** Returns SQL for the greatest id that a row of a table has or had, as far as any row contains it; 0 without one. */
export function newestIdSql({ name, key: [id = ''] }: CopiedTable): string {
  const places = [[name, id] as const, ...(REFERENCES[name] ?? [])]
  const greatest = places.map(([table, column]) => `SELECT max("${column}") AS id FROM "${table}"`)
  return `SELECT coalesce(max(id), 0) AS id FROM (${greatest.join(' UNION ALL ')}) AS ids`
}
