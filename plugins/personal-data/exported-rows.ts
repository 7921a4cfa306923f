// The rows of an export as JSON lines, read page by page, so that memory use does not grow with their number.
import type { Db, Values } from '../../src/store/db.ts'
import {
  type ColumnRule,
  exportedTables,
  isOfAccount,
  type RuledTable,
  type StoredTable,
  type TableRule,
} from '../../src/store/stored-table.ts'

interface ExportedTable {
  table: string
  rows: number
  bytes: number
  /** The rows, one per line. Within one snapshot every read returns the same bytes. */
  lines(): AsyncGenerator<Uint8Array>
}

/** A row has up to 64 KB of stored content. */
const PAGE_ROWS = 200

/**
 * Lists the tables with an account's data. It reads all rows to measure their size.
 *
 * @param db a snapshot
 * @param onBytes called often with the number of bytes read; an exception ends the reading
 */
export async function countTables(
  db: Db,
  all_tables: readonly StoredTable[],
  account_id: number,
  onBytes: (bytes: number) => void,
): Promise<ExportedTable[]> {
  const tables: ExportedTable[] = []
  let all = 0
  for (const table of exportedTables(all_tables)) {
    const lines = () => linesOf(db, table, account_id)
    const size = { rows: 0, bytes: 0 }
    for await (const line of lines()) {
      size.rows += 1
      size.bytes += line.length
      all += line.length
      if (size.rows % PAGE_ROWS === 0) onBytes(all)
    }
    tables.push({ table: table.name, lines, ...size })
  }
  return tables
}

/** The paths in the data folder that an account's rows refer to. */
export async function pathsOf(db: Db, tables: readonly StoredTable[], account_id: number): Promise<string[]> {
  const paths: string[] = []
  for (const { name, rule } of exportedTables(tables)) {
    const { file } = rule
    if (file === undefined) continue
    const text = `SELECT ${file} AS path FROM ${name} WHERE ${isOfAccount(rule)} AND ${file} IS NOT NULL`
    for (const { path } of await db.rows<{ path: string }>(text, { account_id })) paths.push(path)
  }
  return paths
}

const exportedColumns = ({ columns }: Pick<TableRule, 'columns'>): [string, ColumnRule][] =>
  Object.entries(columns).filter(([, { exported }]) => exported !== undefined)

type Row = Record<string, Values[string]>

/** The rows of a table, oldest first if an index supports that order. */
async function* linesOf(db: Db, table: RuledTable, account_id: number): AsyncGenerator<Uint8Array> {
  const exported_columns = exportedColumns(table.rule)
  const read = pageReader(db, table, account_id)
  for (let page = await read(); page.length > 0; page = await read(page.at(-1))) {
    for (const row of page) {
      const fields = exported_columns.map(([name, { exported }]) => [name, encode(row[name], exported)])
      yield Buffer.from(`${JSON.stringify(Object.fromEntries(fields))}\n`)
    }
    // SQLite answers synchronously: this lets signals be handled.
    await Bun.sleep(0)
    if (page.length < PAGE_ROWS) return
  }
}

/** @returns a function that reads the rows after a given one, in the order of `TableRule.in_order_of` and ID */
function pageReader(db: Db, { name: table, rule }: RuledTable, account_id: number) {
  const { owner, columns, in_order_of } = rule
  // A table without IDs has one row per account.
  const id = 'id' in columns ? 'id' : owner
  const order = in_order_of ?? id
  const names = exportedColumns({ columns }).map(([name, { read = name }]) => `${read} AS ${name}`)
  const select = (after: string) =>
    `SELECT ${names.join()}, ${order} AS last_order, ${id} AS last_id FROM ${table} WHERE ${isOfAccount(rule)} ${after}
      ORDER BY ${order}, ${id} LIMIT ${PAGE_ROWS}`
  const [first, next] = [select(''), select(`AND (${order}, ${id}) > ($last_order, $last_id)`)]
  return async (last?: Row): Promise<Row[]> => {
    if (!last) return await db.rows<Row>(first, { account_id })
    const { last_order = null, last_id = null } = last
    return await db.rows<Row>(next, { account_id, last_order, last_id })
  }
}

function encode(
  value: Values[string] | undefined,
  exported: 'as_is' | 'json' | 'bytes' | undefined,
): unknown {
  if (exported === 'json' && typeof value === 'string') return value === '' ? null : JSON.parse(value)
  if (exported === 'bytes' && value instanceof Uint8Array) return textOf(value)
  return value
}

/** Bytes that are not UTF-8 text, such as an image's, become Base64. */
function textOf(bytes: Uint8Array): string | { base64: string } {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // Not UTF-8.
    return { base64: Buffer.from(bytes).toString('base64') }
  }
}
