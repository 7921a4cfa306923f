// The destination of a restore: the [storage] of the data folder's catalogue, or without a catalogue that of the archive.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DataPaths } from '../../../src/app/process/data-paths.ts'
import { moveRows } from '../../../src/app/process/moving/rows.ts'
import { type Edit, editedToml } from '../../../src/catalogue/edit.ts'
import type { Environment } from '../../../src/catalogue/providers.ts'
import { storageIn } from '../../../src/catalogue/storage.ts'
import { readToml } from '../../../src/catalogue/toml.ts'
import type { TomlValue } from '../../../src/catalogue/toml-write.ts'
import type { StorageSettings } from '../../../src/domain/catalogue.ts'
import { audit } from '../../../src/money/ledger/audit.ts'
import { postgresTarget, refuseRows } from '../../../src/store/engines/postgres/copy-target.ts'
import type { PostgresDb } from '../../../src/store/engines/postgres/db.ts'
import { openPostgres } from '../../../src/store/engines/postgres/open.ts'
import { flush } from '../../../src/store/engines/sqlite/copy.ts'
import { openDatabase } from '../../../src/store/engines/sqlite/open.ts'
import { openDb } from '../../../src/store/engines/sqlite/sqlite.ts'
import { closing } from '../../../src/utilities/at-end.ts'
import { openBucketTarget } from './bucket-target.ts'

export interface Destination extends AsyncDisposable {
  /** The bucket for files according to this machine's catalogue, such as `s3://bucket/prefix`. */
  readonly bucket: string | undefined
  /** Copies a database to the server, if there is one. @returns whether it did @throws GatewayError, StorageFailure before any change */
  takeRows(database_path: string): Promise<boolean>
  /** Moves rows and files of an unpacked folder to the server and bucket, if configured, and sets [storage] of its catalogue. */
  takeUnpacked(folder: string): Promise<ExternalStorage>
}

/** The storage of a restored gateway outside its folder. */
export interface ExternalStorage {
  /** Whether the rows are on the server that [storage] names. */
  is_on_server: boolean
  /** The bucket of the files, such as `s3://bucket/prefix`. */
  bucket: string | undefined
}

/**
 * Opens the destination. Before anything is unpacked, it checks that the server's database is empty and that the bucket is empty or
 * has this gateway's files.
 *
 * @throws GatewayError conflict if it has other data; errors of `storageIn`, `openPostgres` and the bucket
 */
export async function openDestination({ catalogue_path }: DataPaths, env: Environment): Promise<Destination> {
  const own = existsSync(catalogue_path) ? await placesIn(catalogue_path, env) : undefined
  let server = own && (await openServer(own.database))
  let bucket = own?.files && (await openBucketTarget(own.files, true))
  return {
    bucket: bucket?.where,
    async takeRows(database_path) {
      if (server) await copyRows(server, database_path)
      else unshareCatalogue(database_path)
      return server !== undefined
    },
    async takeUnpacked(folder) {
      const unpacked = join(folder, 'tollgate.toml')
      if (own) copyStorageSection(catalogue_path, unpacked)
      else {
        const { database, files } = await placesIn(unpacked, env)
        server = await openServer(database)
        bucket = files && (await openBucketTarget(files, false))
      }
      const removeFiles = await bucket?.take(folder)
      try {
        if (server) await moveDatabase(server, folder)
        else unshareCatalogue(join(folder, 'tollgate.db'))
      } catch (failure) {
        await removeFiles?.()
        throw failure
      }
      return { is_on_server: server !== undefined, bucket: bucket?.where }
    },
    async [Symbol.asyncDispose]() {
      await server?.close()
    },
  }
}

/** A catalogue that does not mention storage is not parsed, so that a restore can replace a faulty one. */
async function placesIn(path: string, env: Environment): Promise<StorageSettings> {
  if (!textOf(path).includes('storage')) return { database: undefined, files: undefined }
  return await storageIn(path, env)
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

async function openServer(url: string | undefined): Promise<PostgresDb | undefined> {
  if (url === undefined) return undefined
  const db = await openPostgres(url, { is_new: true })
  try {
    await refuseRows(db)
    return db
  } catch (refusal) {
    await db.close()
    throw refusal
  }
}

async function copyRows(server: PostgresDb, database_path: string): Promise<void> {
  await using from = openDb(database_path, { readonly: true })
  await moveRows({ from, to: postgresTarget(server), auditCopy: () => audit(server) })
}

async function moveDatabase(server: PostgresDb, folder: string): Promise<void> {
  const database_path = join(folder, 'tollgate.db')
  await copyRows(server, database_path)
  for (const suffix of ['', '-wal', '-shm']) rmSync(database_path + suffix, { force: true })
}

/** Unmarks the shared catalogue: a gateway on SQLite reads its file, and a later move to a server must not revive the old catalogue. */
function unshareCatalogue(database_path: string): void {
  using db = closing(openDatabase(database_path))
  db.run('UPDATE catalogues SET shared = 0 WHERE shared = 1')
  // Only the main file is moved, so the write-ahead log is merged into it.
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  flush(database_path)
}

/** Copies [storage] of this machine's catalogue into the restored one, which names the storage of the old machine. */
function copyStorageSection(from_path: string, to_path: string): void {
  const text = textOf(to_path)
  const [own, other] = [storageSection(textOf(from_path)), storageSection(text)]
  if (Bun.deepEquals(own, other)) return
  const path = ['storage']
  const edit: Edit = own === undefined ? { op: 'remove', path } : { op: 'set', path, value: own }
  writeFileSync(to_path, editedToml(text, [edit]))
  flush(to_path)
}

/** Returns undefined if the text has no [storage] or is not valid TOML. */
function storageSection(text: string): TomlValue | undefined {
  if (!text.includes('storage')) return undefined
  const document = readToml(text)
  return document.ok ? (document.value.storage as TomlValue | undefined) : undefined
}
