// Dumps of mysqldump, mariadb-dump and phpMyAdmin: their tables, and their rows as a stream.
import { invalidRequest } from '../../../src/domain/errors.ts'
import { DumpWindow } from './dump-window.ts'
import {
  createdTable,
  type DumpValue,
  endOfBlank,
  endOfStatement,
  insertAt,
  readRow,
  UnreadableRow,
} from './mysql-text.ts'
import { missingTable, type SourceRow, type SourceTables, type TableQuery } from './rows.ts'

/** A table of the dump. */
interface DumpTable {
  columns: readonly string[] | undefined
  /** The bytes of the plain text where its rows begin and end; undefined without rows. */
  from: number | undefined
  until: number
}

/** Enough for the names of all columns of a table. */
const HEAD_CHARS = 65_536

/**
 * Reads a dump once to find its tables and to check that it is complete.
 *
 * @throws GatewayError invalid_request for an incomplete dump, one of several databases, or one in another character set
 */
export async function openMysqlDump(path: string): Promise<SourceTables> {
  const tables = await indexOf(path)
  if (tables.size === 0) throw notADump(path)
  return {
    address: path,
    sorts: false,
    columnsOf: async (table) => tables.get(table)?.columns,
    rows: (table, query) => rowsOf(path, tables.get(table), table, query),
    [Symbol.asyncDispose]: async () => {},
  }
}

async function indexOf(path: string): Promise<Map<string, DumpTable>> {
  await using window = await DumpWindow.open(path)
  const tables = new Map<string, DumpTable>()
  const created_tables = new Set<string>()
  const marks = { begins: false, ends: false, transactions: 0 }
  const tableOf = (name: string): DumpTable => {
    const table = tables.get(name) ?? { columns: undefined, from: undefined, until: 0 }
    tables.set(name, table)
    return table
  }
  for await (const { start, delimiter } of statements(window, (blank) => noteMarks(blank, marks, path))) {
    const text = window.text.slice(window.at, window.at + 20)
    if (/^start\s+transaction/i.test(text)) marks.transactions += 1
    if (/^commit/i.test(text)) marks.transactions = 0
    if (/^set\s+names\s/i.test(text)) noteMarks(text, marks, path)
    const insert = /^(?:insert|replace)/i.test(text) ? insertAt(window.text, window.at) : undefined
    if (!insert && /^(?:insert|replace)\s/i.test(text))
      throw invalidRequest(`${path} has an INSERT without VALUES. Export it again without options.`)
    const statement = await window.skip((view, at, is_last) => endOfStatement(view, at, delimiter, is_last), {
      keeps: /^create\s/i.test(text),
    })
    if (statement === undefined) throw marks.begins || tables.size > 0 ? cutOff(path) : notADump(path)
    if (insert) {
      const table = tableOf(insert.table)
      table.columns ??= insert.columns
      table.from ??= start
      table.until = window.offset
    }
    const created = createdTable(statement)
    if (created) {
      if (created_tables.has(created.table)) throw severalDatabases(path, created.table)
      created_tables.add(created.table)
      tableOf(created.table).columns = created.columns
    }
  }
  if ((marks.begins && !marks.ends) || marks.transactions > 0) throw cutOff(path)
  return tables
}

/** Reads facts from comments: mysqldump and mariadb-dump write one at the start and one at the end, and the character set. */
function noteMarks(blank: string, marks: { begins: boolean; ends: boolean }, path: string): void {
  if (/^-- (?:MySQL|MariaDB) dump /m.test(blank)) marks.begins = true
  if (/^-- Dump completed/m.test(blank)) marks.ends = true
  const [, charset = 'utf8mb4'] = /SET\s+NAMES\s+(\w+)/i.exec(blank) ?? []
  if (!/^(?:utf8(?:mb3|mb4)?|binary)$/i.test(charset))
    throw invalidRequest(
      `${path} is in the character set ${charset}: export it again with --default-character-set=utf8mb4.`,
    )
}

const notADump = (path: string): Error =>
  invalidRequest(
    `${path} has no tables: it is no MySQL dump. Make one by: mysqldump --single-transaction DATABASE > dump.sql`,
  )

const severalDatabases = (path: string, table: string): Error =>
  invalidRequest(
    `${path} creates the table ${table} twice: it is of several databases. Make a dump of the one: mysqldump --single-transaction DATABASE > dump.sql`,
  )

const cutOff = (path: string): Error =>
  invalidRequest(
    `${path} is cut off: its end is missing. Export it again, and check that the disk is not full.`,
  )

/** Yields at the start of each statement; the caller moves the window to the statement's end. */
async function* statements(
  window: DumpWindow,
  onBlank: (blank: string) => void,
): AsyncGenerator<{ start: number; delimiter: string }> {
  let delimiter = ';'
  for (;;) {
    const blank = await window.skip(endOfBlank, { keeps: true })
    if (blank === undefined) throw cutOff(window.path)
    if (blank.length > 2) onBlank(blank)
    await window.ensure(HEAD_CHARS)
    if (window.isAtEnd) return
    const [line, new_delimiter] =
      /^delimiter[ \t]+(\S+)[^\n]*/i.exec(window.text.slice(window.at, window.at + 100)) ?? []
    if (line !== undefined && new_delimiter !== undefined) {
      delimiter = new_delimiter
      window.at += line.length
    } else if (window.text[window.at] === ';') window.at += 1
    else yield { start: window.offset, delimiter }
  }
}

async function* rowsOf(
  path: string,
  found: DumpTable | undefined,
  name: string,
  query: TableQuery = {},
): AsyncGenerator<SourceRow> {
  if (!found) throw missingTable(path, name)
  const rows = matching(allRows(path, found, name, query), query)
  const { newest_by, limit } = query
  if (newest_by !== undefined) yield* await newest(rows, newest_by, limit ?? Number.POSITIVE_INFINITY)
  else if (limit === undefined) yield* rows
  else {
    let left = limit
    if (left > 0)
      for await (const row of rows) {
        yield row
        left -= 1
        if (left === 0) return
      }
  }
}

async function* matching(rows: AsyncIterable<SourceRow>, { where }: TableQuery): AsyncGenerator<SourceRow> {
  for await (const row of rows) if (!where || Number(row[where.column] ?? Number.NaN) === where.is) yield row
}

/** Keeps at most twice the limit in memory. */
async function newest(rows: AsyncIterable<SourceRow>, column: string, limit: number): Promise<SourceRow[]> {
  let kept: SourceRow[] = []
  const cut = () => {
    kept = kept.sort((one, other) => Number(other[column] ?? 0) - Number(one[column] ?? 0)).slice(0, limit)
  }
  for await (const row of rows) {
    kept.push(row)
    if (kept.length >= 2 * limit) cut()
  }
  cut()
  return kept
}

async function* allRows(
  path: string,
  { columns: order, from, until }: DumpTable,
  name: string,
  { columns: wanted, where, newest_by }: TableQuery,
): AsyncGenerator<SourceRow> {
  if (from === undefined) return
  const isWanted = (column: string): boolean =>
    wanted === undefined || wanted.includes(column) || column === where?.column || column === newest_by
  await using window = await DumpWindow.open(path, from)
  for await (const { delimiter } of statements(window, () => {})) {
    if (window.offset >= until) return
    const insert = insertAt(window.text, window.at)
    if (insert?.table !== name) {
      await window.skip((view, at, is_last) => endOfStatement(view, at, delimiter, is_last))
      continue
    }
    const columns = insert.columns ?? order
    if (!columns)
      throw invalidRequest(`${path} has rows of ${name} without its CREATE TABLE: export the structure too.`)
    window.at = insert.rows_at
    yield* insertedRows(window, name, columns, isWanted)
    await window.skip((view, at, is_last) => endOfStatement(view, at, delimiter, is_last))
  }
}

/** Yields the rows of one INSERT, and leaves the window after the last one. */
async function* insertedRows(
  window: DumpWindow,
  table: string,
  columns: readonly string[],
  isWanted: (column: string) => boolean,
): AsyncGenerator<SourceRow> {
  const wanted = columns.map(isWanted)
  const values: DumpValue[] = []
  for (let number = 1; ; number++) {
    try {
      const row = await window.skip((view, at) =>
        readRow(view, at, (column) => wanted[column] ?? false, values),
      )
      if (row === undefined) throw cutOff(window.path)
      if (values.length !== columns.length)
        throw new UnreadableRow(`it has ${values.length} values for ${columns.length} columns`)
    } catch (thrown) {
      if (!(thrown instanceof UnreadableRow)) throw thrown
      const place = `row ${number} of an INSERT into ${table}, at byte ${window.offset}`
      throw invalidRequest(`${window.path}: ${place}, cannot be read: ${thrown.message}. Export it again.`)
    }
    const row: Record<string, unknown> = {}
    for (const [at, column] of columns.entries()) if (wanted[at]) row[column] = values[at]
    yield row
    if ((await window.skip(endOfBlank)) === undefined) throw cutOff(window.path)
    if (window.text[window.at] !== ',') return
    window.at += 1
    if ((await window.skip(endOfBlank)) === undefined) throw cutOff(window.path)
  }
}
