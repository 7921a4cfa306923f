// The export of a person's data: their rows as lines of JSON, a file a table, and their files, as of one moment.
import type { Database, SQLQueryBindings } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { accountByName } from '../../access/accounts.ts'
import { type PackedEntry, packedTar, type TarWriter } from '../../backup/tar.ts'
import { exportedTables, type TableRule } from '../../db/personal-data.ts'
import { dbOver } from '../../db/sqlite.ts'
import { atEnd } from '../../utilities/at-end.ts'
import { EXPORT_README } from './export-readme.ts'

export interface ExportOptions {
  data_folder: string
  account: string
  now_ms: number
  /** Takes the archive. @returns its bytes */
  put(content: AsyncIterable<Uint8Array>): Promise<number>
  /** Told often; what it throws ends the export. */
  onProgress?: ((progress: ExportProgress) => void) | undefined
}

export interface ExportProgress {
  /** Read of rows and files. */
  bytes: number
  /** Undefined while the rows are counted. */
  of_bytes: number | undefined
}

export interface Exported {
  account_id: number
  /** Of the archive. */
  bytes: number
  /** By the names of the tables. */
  rows: Record<string, number>
  files: number
  /** Paths of files that rows name, and that were not there. */
  missing: string[]
}

/** What each table is called in the archive, for programs; a later form has a greater number. */
const FORMAT = 1

/**
 * Makes an archive of everything of an account, beside a gateway that serves or not.
 *
 * @param db a connection that is in no transaction; only read from. One transaction holds what is read together
 * @throws GatewayError not_found when there is no account of this name; what `put` throws
 */
export async function exportAccount(db: Database, options: ExportOptions): Promise<Exported> {
  db.run('BEGIN')
  using _ending = atEnd(() => void db.run('ROLLBACK'))
  const { id: account_id } = await accountByName(dbOver(db), options.account)
  const result = { account_id, rows: {}, files: 0, missing: [] }
  const archive = packedTar(options.now_ms, (tar) => fill(tar, db, options, result))
  const bytes = await options.put(archive)
  return { ...result, bytes }
}

async function fill(
  tar: TarWriter,
  db: Database,
  { data_folder, account, now_ms, onProgress = () => {} }: ExportOptions,
  result: Omit<Exported, 'bytes'>,
): Promise<void> {
  const { account_id, rows, missing } = result
  const entries: PackedEntry[] = []
  await tar.addText('README.txt', EXPORT_README)
  const tables = await sized(db, account_id, (bytes) => onProgress({ bytes, of_bytes: undefined }))
  const paths = [...pathsOf(db, account_id)].map((path) => ({ path, file: join(data_folder, path) }))
  const of_bytes = sumOf(tables.map(({ size }) => size.bytes)) + sumOf(paths.map(({ file }) => bytesOf(file)))
  let packed_bytes = 0
  const onRead = (bytes: number) => onProgress({ bytes: packed_bytes + bytes, of_bytes })
  const add = (entry: PackedEntry) => {
    entries.push(entry)
    packed_bytes += entry.bytes
  }
  for (const { table, lines, size } of tables) {
    rows[table] = size.rows
    add(await tar.addBlocks(`${table}.jsonl`, size.bytes, telling(lines(), onRead)))
  }
  for (const { path, file } of paths) {
    const entry = await tar.addFile(path, file, onRead)
    if (!entry) missing.push(path)
    else add(entry)
  }
  result.files = entries.length - Object.keys(rows).length
  const described = { tollgate_export: FORMAT, version: manifest.version, account, account_id }
  await tar.addText(
    'manifest.json',
    JSON.stringify({ ...described, made_at_ms: now_ms, rows, missing, entries }, null, 2),
  )
}

function* pathsOf(db: Database, account_id: number): Generator<string> {
  for (const [table, { owner, file }] of exportedTables()) {
    if (file === undefined) continue
    const sql = `SELECT ${file} AS path FROM ${table} WHERE ${owner} = ? AND ${file} IS NOT NULL`
    for (const { path } of db.query<{ path: string }, [number]>(sql).iterate(account_id)) yield path
  }
}

const sumOf = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

function* telling(lines: Iterable<Uint8Array>, onRead: (bytes: number) => void): Generator<Uint8Array> {
  let bytes = 0
  for (const line of lines) {
    yield line
    bytes += line.length
    onRead(bytes)
  }
}

/** Signals have their turn after so many rows. */
const TURN_ROWS = 1_000

/** Read twice, since tar writes a length first: both times the same, within one transaction. */
async function sized(db: Database, account_id: number, onBytes: (bytes: number) => void) {
  const tables: {
    table: string
    lines: () => Iterable<Uint8Array>
    size: { rows: number; bytes: number }
  }[] = []
  let all = 0
  for (const [table, rule] of exportedTables()) {
    const lines = linesOf(db, table, rule, account_id)
    const size = { rows: 0, bytes: 0 }
    for (const line of lines()) {
      size.rows += 1
      size.bytes += line.length
      all += line.length
      if (size.rows % TURN_ROWS !== 0) continue
      onBytes(all)
      await Bun.sleep(0)
    }
    tables.push({ table, lines, size })
  }
  return tables
}

type Row = Record<string, SQLQueryBindings>

/** The rows of a table, the oldest first, a line of JSON each. */
function linesOf(db: Database, table: string, rule: TableRule, account_id: number) {
  const shown = Object.entries(rule.columns).filter(([, { exported }]) => exported !== undefined)
  const names = shown.map(([name, { read = name }]) => `${read} AS ${name}`).join()
  const query = db.query<Row, [number]>(
    `SELECT ${names} FROM ${table} WHERE ${rule.owner} = ? ORDER BY rowid`,
  )
  return function* (): Generator<Uint8Array> {
    for (const row of query.iterate(account_id)) {
      const fields = shown.map(([name, { exported }]) => [name, written(row[name], exported)])
      yield Buffer.from(`${JSON.stringify(Object.fromEntries(fields))}\n`)
    }
  }
}

function written(
  value: SQLQueryBindings | undefined,
  exported: 'as_is' | 'json' | 'bytes' | undefined,
): unknown {
  if (exported === 'json' && typeof value === 'string') return value === '' ? null : JSON.parse(value)
  if (exported === 'bytes' && value instanceof Uint8Array) return textOf(value)
  return value
}

/** Bytes that are no text, such as an image's, are in Base64. */
function textOf(bytes: Uint8Array): string | { base64: string } {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    // No UTF-8.
    return { base64: Buffer.from(bytes).toString('base64') }
  }
}
