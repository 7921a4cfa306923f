// Creation of a backup: one archive with a checked copy of the database, the files that it names, and the catalogue.
import type { Database } from 'bun:sqlite'
import { copyFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { type DataPaths, databaseCopyWork } from '../../../src/app/process/data-paths.ts'
import type { Engine } from '../../../src/app/process/engine/engine.ts'
import type { FileStores } from '../../../src/app/process/files/stores.ts'
import { check } from '../../../src/app/process/snapshot.ts'
import { withMachine } from '../../../src/catalogue/machine-text.ts'
import { readToml } from '../../../src/catalogue/toml.ts'
import { conflict } from '../../../src/domain/errors.ts'
import type { Db } from '../../../src/store/db.ts'
import { MIGRATIONS } from '../../../src/store/engines/sqlite/migrate.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { refuseUnwritable } from '../../../src/store/folder.ts'
import { makeWorkFolder, type NoteUnfinished, type WorkFolder } from '../../../src/store/work-folder.ts'
import { closing } from '../../../src/utilities/at-end.ts'
import { encrypted } from '../archive/encryption.ts'
import { FORMAT, type Manifest } from '../archive/manifest.ts'
import { packArchive, type Source } from '../archive/pack.ts'
import type { BackupLock } from '../settings.ts'
import { settleCopy } from './settle-copy.ts'
import { sourcesOf } from './sources.ts'

interface MakeOptions {
  paths: DataPaths
  /** The database engine of the data folder. */
  engine: Engine
  /** The file stores of the data folder. */
  stores: FileStores
  /** Undefined for an unencrypted archive. */
  lock: BackupLock | undefined
  now_ms: number
  /** Stores the archive, as `Place.put`; its errors are rethrown after the cleanup. @returns the size in bytes */
  put(content: AsyncIterable<Uint8Array>, expected_bytes: number, goesWith: NoteUnfinished): Promise<number>
  onProgress?: ((progress: Progress) => void) | undefined
}

export interface Progress {
  files: number
  bytes: number
  /** The expected total, an estimate. */
  of_bytes: number
}

export interface MadeBackup {
  /** Size of the archive. */
  bytes: number
  files: number
  /** Total size of the packed files. */
  content_bytes: number
  accounts: number
  calls: number
  deleted_meanwhile: readonly string[]
  missing: readonly string[]
  /** Links and unsupported paths in plugin folders. */
  left_out: readonly string[]
  /** Plugin databases that SQLite cannot read, each with the reason. */
  unreadable: readonly string[]
}

/**
 * Makes a backup, with or without a running gateway. Only one at a time.
 *
 * @throws GatewayError conflict while another backup runs; unprocessable if the books do not pass the audit
 */
export async function makeBackup(options: MakeOptions): Promise<MadeBackup> {
  const { dir } = options.paths
  refuseUnwritable(dir)
  await using unlock = await options.engine.lockBackups()
  if (!unlock) throw conflict('Another backup of this database is running. Wait until it finishes.')
  using staging = makeWorkFolder(databaseCopyWork(dir))
  return await makeIn(staging, options)
}

async function makeIn({ path: staging, goesWith }: WorkFolder, options: MakeOptions): Promise<MadeBackup> {
  const { paths, engine, stores, lock, now_ms, put, onProgress } = options
  // Copied before the database: a start applies these settlements and removes them, and applying one twice changes nothing.
  const plain = copySmallFile('settlements.journal', paths, staging)
  const copy_path = join(staging, 'tollgate.db')
  await using live = await engine.open({ access: 'read' })
  const { totals } = await engine.writeSnapshot(copy_path)
  const copy = openDatabase(copy_path, { readonly: true })
  const catalogue_path = engine.is_shared ? writeWholeCatalogue(copy, paths, staging) : paths.catalogue_path
  const left_out: string[] = []
  const unreadable: string[] = []
  const plugins = {
    staging,
    onLeftOut: (path: string) => void left_out.push(path),
    onUnreadable: (path: string, why: string) => void unreadable.push(`${path} (${why})`),
  }
  const absent: string[] = []
  const changed: string[] = []
  let deleted: string[] = []
  let missing: string[] = []
  const settle = async () => {
    copy.close()
    if (absent.length > 0) ({ deleted, missing } = await settleAndCheck(copy_path, live, absent))
  }
  const of_bytes = statSync(copy_path).size + sumFileBytes(copy)
  let made: Manifest | undefined
  const plain_bytes = packArchive(
    {
      head: {
        tollgate_backup: FORMAT,
        version: manifest.version,
        schema_version: MIGRATIONS.length,
        made_at_ms: now_ms,
      },
      sources: sourcesOf(paths, { ...plugins, copy, copy_path, catalogue_path, stores, plain, settle }),
      onTrouble: (path, trouble) => (trouble === 'absent' ? absent : changed).push(path),
      atEnd: () => ({ deleted_meanwhile: deleted, missing: [...missing, ...changed] }),
      onProgress: (files, bytes) => onProgress?.({ files, bytes, of_bytes }),
    },
    (manifest) => {
      made = manifest
    },
  )
  const bytes = await put(lock ? await encrypted(plain_bytes, lock) : plain_bytes, of_bytes, goesWith)
  if (!made) throw new Error('The backup was interrupted. Try again.')
  return {
    bytes,
    files: made.entries.length,
    content_bytes: made.entries.reduce((sum, entry) => sum + entry.bytes, 0),
    accounts: totals.accounts,
    calls: totals.calls,
    deleted_meanwhile: deleted,
    missing: made.missing,
    left_out,
    unreadable,
  }
}

/** Returns the path of the catalogue in force: the shared text in the database, merged with the settings of this machine's file. */
function writeWholeCatalogue(copy: Database, { catalogue_path }: DataPaths, staging: string): string {
  const shared = copy
    .query<{ text: string }, []>('SELECT text FROM catalogues WHERE shared = 1 ORDER BY version DESC LIMIT 1')
    .get()
  if (!shared) return catalogue_path
  const machine = readToml(readFileSync(catalogue_path, 'utf8'))
  const path = join(staging, 'tollgate.toml')
  writeFileSync(path, withMachine(shared.text, machine.ok ? machine.value : {}), { mode: 0o600 })
  return path
}

/** Copies a small file into the staging folder; returns no source if it does not exist. */
function copySmallFile(path: string, { dir }: DataPaths, staging: string): Source[] {
  if (!existsSync(join(dir, path))) return []
  const file = join(staging, path)
  copyFileSync(join(dir, path), file)
  return [{ path, file }]
}

/** Removes the rows of files that were deleted since the copy was made, and checks the copy again. */
async function settleAndCheck(copy_path: string, live: Db, absent: readonly string[]) {
  using copy = closing(openDatabase(copy_path))
  const result = await settleCopy(copy, live, absent)
  if (result.deleted.length > 0) await check(copy, copy_path)
  // Only the main file is packed, so the write-ahead log is merged into it.
  copy.run('PRAGMA wal_checkpoint(TRUNCATE)')
  return result
}

function sumFileBytes(copy: ReturnType<typeof openDatabase>): number {
  const sums = ['generations', 'files'].map((table) => `SELECT sum(bytes) AS bytes FROM ${table}`)
  const sql = `SELECT sum(bytes) AS bytes FROM (${sums.join(' UNION ALL ')})`
  return copy.query<{ bytes: number | null }, []>(sql).get()?.bytes ?? 0
}
