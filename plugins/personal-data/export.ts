// The export of an account's data as of one moment: its rows as JSON lines, a file per table, and its files.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { accountByName } from '../../src/access/accounts.ts'
import { requireOwnFiles } from '../../src/app/process/files/claim.ts'
import { type FileStores, storedAt } from '../../src/app/process/files/stores.ts'
import { conflict } from '../../src/domain/errors.ts'
import type { StoredBytes } from '../../src/domain/stored-bytes.ts'
import { type Db, LONG } from '../../src/store/db.ts'
import { isAbsentObject } from '../../src/store/engines/s3/failure.ts'
import { exportedTables, type StoredTable } from '../../src/store/stored-table.ts'
import { compressedTar, type PackedEntry, type TarWriter } from '../../src/store/tar.ts'
import { countTables, pathsOf } from './exported-rows.ts'

interface ExportOptions {
  /** All tables of the database, including plugins'. */
  tables: readonly StoredTable[]
  data_folder: string
  files: FileStores
  account: string
  /** The operator's name of the service, for the account holder. */
  service: string
  now_ms: number
  /** Writes the archive. @returns its size in bytes */
  put(content: AsyncIterable<Uint8Array>): Promise<number>
  /** Called often; an exception ends the export. */
  onProgress?: ((progress: ExportProgress) => void) | undefined
}

interface ExportProgress {
  /** The bytes of rows and files that were read so far. */
  bytes: number
  /** Undefined while the rows are counted. */
  of_bytes: number | undefined
}

interface Exported {
  account_id: number
  /** The size of the archive. */
  bytes: number
  /** The number of rows by table. */
  rows: Record<string, number>
  files: number
  /** Paths of files that rows name but that do not exist. */
  missing: string[]
}

/** The version of the archive's format. */
const FORMAT = 1

/**
 * Exports an account's data as an archive, whether or not a gateway is running.
 *
 * @throws GatewayError not_found for an unknown account; as `requireOwnFiles`; errors of `put`
 */
export async function exportAccount(db: Db, options: ExportOptions): Promise<Exported> {
  const { id: account_id } = await accountByName(db, options.account)
  await requireOwnFiles(db, options.files, 'read')
  const result = { account_id, rows: {}, files: 0, missing: [] }
  const archive = compressedTar(options.now_ms, (tar) => writeContent(tar, db, options, result))
  const bytes = await options.put(archive)
  return { ...result, bytes }
}

/** The rows are read in one snapshot, and the files after it, since a long snapshot would make the database keep old row versions. */
async function writeContent(
  tar: TarWriter,
  db: Db,
  options: ExportOptions,
  result: Omit<Exported, 'bytes'>,
): Promise<void> {
  const { account, now_ms, onProgress = () => {} } = options
  const { account_id, rows, missing } = result
  const entries: PackedEntry[] = []
  let [packed_bytes, of_bytes]: [number, number | undefined] = [0, undefined]
  const onRead = (bytes: number) => onProgress({ bytes: packed_bytes + bytes, of_bytes })
  const add = (entry: PackedEntry) => {
    entries.push(entry)
    packed_bytes += entry.bytes
  }
  await tar.addText('README.txt', readmeOf(options))
  const paths = await db.snapshot(async (snapshot) => {
    const tables = await countTables(snapshot, options.tables, account_id, onRead)
    const named = await pathsOf(snapshot, options.tables, account_id)
    of_bytes = sumOf(tables.map(({ bytes }) => bytes))
    for (const { table, lines, ...size } of tables) {
      rows[table] = size.rows
      add(await tar.addBlocks(`${table}.jsonl`, size.bytes, reportingBytes(lines(), onRead)))
    }
    return named
  }, LONG)
  const files = await filesAt(paths, options)
  of_bytes = packed_bytes + sumOf(files.map(({ bytes }) => bytes))
  for (const { path, addTo } of files) {
    const entry = await addTo(tar, onRead)
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

interface FileToAdd {
  path: string
  bytes: number
  /** @returns undefined if not found */
  addTo(tar: TarWriter, onRead: (bytes: number) => void): Promise<PackedEntry | undefined>
}

/** Parallel requests to a bucket. */
const FILES_AT_ONCE = 16

async function filesAt(
  paths: readonly string[],
  { data_folder, files }: Pick<ExportOptions, 'data_folder' | 'files'>,
): Promise<FileToAdd[]> {
  if (!files.bucket)
    return paths.map((path) => {
      const file = join(data_folder, path)
      return { path, bytes: bytesOf(file), addTo: (tar, onRead) => tar.addFile(path, file, onRead) }
    })
  const found: FileToAdd[] = []
  for (let at = 0; at < paths.length; at += FILES_AT_ONCE)
    found.push(
      ...(await Promise.all(paths.slice(at, at + FILES_AT_ONCE).map((path) => objectAt(path, files)))),
    )
  return found
}

async function objectAt(path: string, files: FileStores): Promise<FileToAdd> {
  const { store, key } = storedAt(files, path)
  const object = await store.open(key)
  return {
    path,
    bytes: object?.size ?? 0,
    addTo: async (tar, onRead) =>
      object && tar.addBlocks(path, object.size, reportingBytes(read(object, path), onRead)),
  }
}

/** @throws GatewayError conflict if the object is deleted while it is read: the archive already states its size */
async function* read(object: StoredBytes, path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* object.stream()
  } catch (failure) {
    if (!isAbsentObject(failure)) throw failure
    throw conflict(`${path} was deleted while it was exported: run the export again.`, { cause: failure })
  }
}

const bytesOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

async function* reportingBytes(
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

const NAME_WIDTH = 20

/** The README for the account holder. */
const readmeOf = ({ tables, service }: Pick<ExportOptions, 'tables' | 'service'>): string => `\
This archive has everything that ${service} stores about one account.

Each .jsonl file is a table, and each of its lines is a row, as JSON. Fields that
end with _nanos are amounts in billionths of a US dollar, fields with _ms are
milliseconds, and fields with _at_ms are milliseconds since 1970 (UTC).

${exportedTables(tables)
  .map(({ name, rule }) => `  ${name.padEnd(NAME_WIDTH)}${rule.described}`)
  .join('\n')}

The images are in images/, uploads in files/, and long responses and answers in
responses/ and answers/. A body is text, or {"base64": ...} if it is not text.

manifest.json lists every file with its size and SHA-256, and files that could
not be found. Left out: secrets (keys, passwords, tokens of sessions and links),
and sums of calls and refusals.
`
