// The export of a person's data: their rows as lines of JSON, a file a table, and their files, as of one moment.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { accountByName } from '../../access/accounts.ts'
import { type PackedEntry, packedTar, type TarWriter } from '../../backup/tar.ts'
import type { Db } from '../../db/db.ts'
import { EXPORT_README } from './export-readme.ts'
import { countTables, pathsOf } from './exported-rows.ts'

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
 * @throws GatewayError not_found when there is no account of this name; what `put` throws
 */
export async function exportAccount(db: Db, options: ExportOptions): Promise<Exported> {
  const { id: account_id } = await accountByName(db, options.account)
  const result = { account_id, rows: {}, files: 0, missing: [] }
  const archive = packedTar(options.now_ms, (tar) => fill(tar, db, options, result))
  const bytes = await options.put(archive)
  return { ...result, bytes }
}

/** The rows are of one moment; their files are read after it, so that whatever writes need not keep what was there before for long. */
async function fill(
  tar: TarWriter,
  db: Db,
  options: ExportOptions,
  result: Omit<Exported, 'bytes'>,
): Promise<void> {
  const { data_folder, account, now_ms, onProgress = () => {} } = options
  const { account_id, rows, missing } = result
  const entries: PackedEntry[] = []
  let [packed_bytes, of_bytes]: [number, number | undefined] = [0, undefined]
  const onRead = (bytes: number) => onProgress({ bytes: packed_bytes + bytes, of_bytes })
  const add = (entry: PackedEntry) => {
    entries.push(entry)
    packed_bytes += entry.bytes
  }
  await tar.addText('README.txt', EXPORT_README)
  const files = await db.snapshot(async (then) => {
    const tables = await countTables(then, account_id, onRead)
    const named = (await pathsOf(then, account_id)).map((path) => ({ path, file: join(data_folder, path) }))
    of_bytes = sumOf(tables.map(({ bytes }) => bytes)) + sumOf(named.map(({ file }) => bytesOf(file)))
    for (const { table, lines, ...size } of tables) {
      rows[table] = size.rows
      add(await tar.addBlocks(`${table}.jsonl`, size.bytes, telling(lines(), onRead)))
    }
    return named
  })
  for (const { path, file } of files) {
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

const sumOf = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

async function* telling(
  lines: AsyncIterable<Uint8Array>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const line of lines) {
    yield line
    bytes += line.length
    onRead(bytes)
  }
}
