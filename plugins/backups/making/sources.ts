// The sources of an archive: the files that the database copy names, and last the copy itself.
import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DataPaths } from '../../../src/app/process/data-paths.ts'
import { type FileStores, storedAt } from '../../../src/app/process/files/stores.ts'
import { isAbsentObject } from '../../../src/store/engines/s3/failure.ts'
import type { Source } from '../archive/pack.ts'
import { type PluginFilesOptions, pluginFiles } from './plugin-files.ts'

interface NamedFile {
  path: string
  bytes: number | null
  sha256: string | null
}

/** Selects the stored files from the rows that name them. Rows of files that are still being written are not selected. */
const FILE_QUERIES: readonly string[] = [
  `SELECT 'images/' || file_key AS path, bytes, sha256 FROM generations WHERE state = 'stored'`,
  `SELECT key AS path, bytes, sha256 FROM files WHERE state = 'stored'`,
  `SELECT 'responses/' || body_file AS path, kept_bytes AS bytes, NULL AS sha256 FROM responses WHERE body_file IS NOT NULL`,
  `SELECT 'answers/' || body_file AS path, NULL AS bytes, NULL AS sha256 FROM idempotency_keys WHERE body_file IS NOT NULL`,
]

/**
 * Yields the sources of an archive in this order: catalogue, plain files, plugin files, files that the copy names, the copy.
 *
 * The copy exists before any file is read. The gateway completes a file before it marks the row as stored (media/store.ts,
 * library/intake.ts, store/kept/content.ts), so every file that the copy names was complete then, and can only have been deleted since.
 * A deletion removes the row first, then the file. If both are gone, `settle` removes the row from the copy, too; for this
 * reason the copy is packed last.
 *
 * @param copy a connection to the copy, only for reading
 * @param settle called once all files have been read, before the copy is read
 */
export async function* sourcesOf(
  { dir }: DataPaths,
  { copy, copy_path, catalogue_path, stores, plain, settle, ...plugins }: SourceOptions,
): AsyncGenerator<Source> {
  const placeOf = (path: string): Source['file'] =>
    stores.bucket ? () => readStored(stores, path) : join(dir, path)
  if (existsSync(catalogue_path)) yield { path: 'tollgate.toml', file: catalogue_path }
  yield* plain
  yield* pluginFiles(join(dir, 'plugins'), 'plugins', plugins)
  for (const sql of FILE_QUERIES)
    for (const { path, bytes, sha256 } of copy.query<NamedFile, []>(sql).iterate())
      yield {
        path,
        file: placeOf(path),
        expected_bytes: bytes ?? undefined,
        expected_sha256: sha256 ?? undefined,
      }
  await settle()
  yield { path: 'tollgate.db', file: copy_path }
}

interface SourceOptions extends PluginFilesOptions {
  copy: Database
  copy_path: string
  /** The path of the complete catalogue in force. */
  catalogue_path: string
  /** The stores of the files that the copy names. */
  stores: FileStores
  /** Files that were copied before the database was. */
  plain: readonly Source[]
  settle(): Promise<void>
}

/** Returns undefined if the file does not exist, also if it is deleted after it was opened. */
async function readStored(stores: FileStores, path: string): Promise<Uint8Array | undefined> {
  const { store, key } = storedAt(stores, path)
  const stored = await store.open(key)
  try {
    return await stored?.bytes()
  } catch (failure) {
    if (isAbsentObject(failure)) return undefined
    throw failure
  }
}
