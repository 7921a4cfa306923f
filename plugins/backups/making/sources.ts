// The content of an archive: the files that a copy of the database names, and then the copy itself.
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

/** Each folder's files by the rows that name them. Rows of files that are being written name none yet. */
const NAMED: readonly string[] = [
  `SELECT 'images/' || file_key AS path, bytes, sha256 FROM generations WHERE state = 'stored'`,
  `SELECT key AS path, bytes, sha256 FROM files WHERE state = 'stored'`,
  `SELECT 'responses/' || body_file AS path, kept_bytes AS bytes, NULL AS sha256 FROM responses WHERE body_file IS NOT NULL`,
  `SELECT 'answers/' || body_file AS path, NULL AS bytes, NULL AS sha256 FROM idempotency_keys WHERE body_file IS NOT NULL`,
]

/**
 * The sources of an archive, in their order: the plain files, what the copy names, and last the copy.
 *
 * The copy is made first. A file is complete before its row says so (media/store.ts, library/intake.ts, store/kept/content.ts), so
 * whatever the copy names was stored when it was made; it is read after that, and can only have been deleted in between.
 * A deletion takes the row first, and then the file: where the file is gone and its row too, `settle` takes the row out of the
 * copy as well. That is why the copy is packed last.
 *
 * @param copy a connection to the copy, which is only read from
 * @param settle called when all files have been read, before the copy is
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
  for (const sql of NAMED)
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
  /** The catalogue with all that the folder's gateway has in force. */
  catalogue_path: string
  /** Where the files are that the copy names. */
  stores: FileStores
  /** Files that were put aside before the copy was made. */
  plain: readonly Source[]
  settle(): Promise<void>
}

/** Undefined where it is gone, also if it went after it was found. */
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
