// Another gateway's SQLite file, read without writing to it or beside it, even while that gateway runs.
import { constants, Database } from 'bun:sqlite'
import { copyFileSync, existsSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { invalidRequest } from '../../../src/domain/errors.ts'
import { codeOf, messageOf } from '../../../src/utilities/thrown.ts'
import { firstBytes } from './first-bytes.ts'
import { missingTable, type SourceRow, type SourceTables, selectOf, type TableQuery } from './rows.ts'

/** The byte that says whether the file has a write-ahead log: https://sqlite.org/fileformat2.html, 1.3. */
const FORMAT_AT = 18
const WITH_LOG = 2

const BUSY_WAIT_MS = 5_000

/**
 * Opens a file. All reads see it as of now, even if others write to it.
 *
 * @throws GatewayError invalid_request if the file cannot be read without writing
 */
export function openSqlite(address: string): SourceTables {
  // The write-ahead log is beside the file, not beside a symbolic link to it.
  const path = realpathSync(address)
  const copy = needsCopy(path) ? copyOf(path) : undefined
  const dispose = () => {
    if (copy) rmSync(copy.folder, { recursive: true, force: true })
  }
  try {
    const db = connectTo(copy?.path ?? path, copy !== undefined)
    return tablesOf(db, address, dispose)
  } catch (thrown) {
    dispose()
    throw thrown
  }
}

/** A write-ahead log without its index belongs to no running program: SQLite would have to create the index beside the file. */
const needsCopy = (path: string): boolean => hasContent(`${path}-wal`) && !existsSync(`${path}-shm`)

const hasContent = (path: string): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0

function copyOf(path: string): { folder: string; path: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-import-'))
  const copy = { folder, path: join(folder, 'copy.db') }
  copyFileSync(path, copy.path)
  copyFileSync(`${path}-wal`, `${copy.path}-wal`)
  return copy
}

function connectTo(path: string, is_copy: boolean): Database {
  // A program in write-ahead mode keeps its index open. Without log and index no program writes; `immutable` avoids creating an index.
  const is_at_rest = hasWriteAheadLog(path) && !existsSync(`${path}-shm`)
  const query = is_copy ? '' : is_at_rest ? '?immutable=1' : '?mode=ro'
  const mode = is_copy ? constants.SQLITE_OPEN_READWRITE : constants.SQLITE_OPEN_READONLY
  let db: Database | undefined
  try {
    db = new Database(`${pathToFileURL(path).href}${query}`, mode | constants.SQLITE_OPEN_URI)
    db.run(`PRAGMA busy_timeout = ${BUSY_WAIT_MS}`)
    db.run('BEGIN')
    // A transaction's snapshot begins with its first read.
    db.query('SELECT count(*) FROM sqlite_master').get()
    return db
  } catch (thrown) {
    db?.close()
    throw failureOf(path, thrown)
  }
}

const hasWriteAheadLog = (path: string): boolean => firstBytes(path, FORMAT_AT + 1)[FORMAT_AT] === WITH_LOG

function failureOf(path: string, thrown: unknown): unknown {
  const code = codeOf(thrown)
  if (!code.startsWith('SQLITE_')) return thrown
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code))
    return invalidRequest(
      `${path} is damaged, or encrypted (${messageOf(thrown)}). Check it by: sqlite3 ${path} "PRAGMA integrity_check"`,
      { cause: thrown },
    )
  return invalidRequest(
    `${path} cannot be read without writing to it (${messageOf(thrown)}). Stop the other gateway, or copy the file by ` +
      `sqlite3 ${path} ".backup copy.db" and import the copy.`,
    { cause: thrown },
  )
}

function tablesOf(db: Database, address: string, dispose: () => void): SourceTables {
  const columnsOf = (table: string): string[] | undefined => {
    const names = db
      .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => name)
    return names.length === 0 ? undefined : names
  }
  async function* rows(table: string, query?: TableQuery): AsyncGenerator<SourceRow> {
    const present = columnsOf(table)
    if (!present) throw missingTable(address, table)
    using statement = db.prepare<SourceRow, []>(selectOf(table, present, query))
    try {
      // `yield*` would take three promises for each row.
      for (const row of statement.iterate()) yield row
    } catch (thrown) {
      throw failureOf(address, thrown)
    }
  }
  return {
    address,
    sorts: true,
    columnsOf: async (table) => columnsOf(table),
    rows,
    async [Symbol.asyncDispose]() {
      db.close()
      dispose()
    },
  }
}
