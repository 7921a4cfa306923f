// Where what is restored goes: where [storage] of the data folder says; on a machine without a catalogue, of the archive's own.
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
  /** The bucket of this machine's files, such as `s3://bucket/prefix`. */
  readonly bucket: string | undefined
  /** Copies a whole database there, where that is a server. @returns whether it did @throws GatewayError, StorageFailure: nothing was changed then */
  takeRows(database_path: string): Promise<boolean>
  /** The same for an unpacked folder: its catalogue gets the [storage] of this one, and it loses what goes elsewhere. */
  takeUnpacked(folder: string): Promise<Elsewhere>
}

/** The parts of a restored gateway that are not in its folder. */
export interface Elsewhere {
  /** Whether the rows are on the server that [storage] names. */
  is_on_server: boolean
  /** The bucket of the files, such as `s3://bucket/prefix`. */
  bucket: string | undefined
}

/**
 * Opens the place. A server must have an empty database, and a bucket nothing or this gateway's files, which is looked at before anything is unpacked.
 *
 * @throws GatewayError conflict if it has others; what `storageIn`, `openPostgres` and the bucket throw
 */
export async function openDestination({ catalogue_path }: DataPaths, env: Environment): Promise<Destination> {
  const own = existsSync(catalogue_path) ? await placesIn(catalogue_path, env) : undefined
  let server = own && (await openServer(own.database))
  let bucket = own?.files && (await openBucketTarget(own.files, true))
  return {
    bucket: bucket?.where,
    async takeRows(database_path) {
      if (server) await fill(server, database_path)
      else forgetShared(database_path)
      return server !== undefined
    },
    async takeUnpacked(folder) {
      const unpacked = join(folder, 'tollgate.toml')
      if (own) keepSection(catalogue_path, unpacked)
      else {
        const { database, files } = await placesIn(unpacked, env)
        server = await openServer(database)
        bucket = files && (await openBucketTarget(files, false))
      }
      const removeFiles = await bucket?.take(folder)
      try {
        if (server) await takeDatabase(server, folder)
        else forgetShared(join(folder, 'tollgate.db'))
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

/** A catalogue without the section may have any mistake: the restore may mend it. */
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

async function fill(server: PostgresDb, database_path: string): Promise<void> {
  await using from = openDb(database_path, { readonly: true })
  await moveRows({ from, to: postgresTarget(server), auditCopy: () => audit(server) })
}

async function takeDatabase(server: PostgresDb, folder: string): Promise<void> {
  const database_path = join(folder, 'tollgate.db')
  await fill(server, database_path)
  for (const suffix of ['', '-wal', '-shm']) rmSync(database_path + suffix, { force: true })
}

/** In a folder the file counts: a catalogue that was for all gateways must not be in force again in a later database. */
function forgetShared(database_path: string): void {
  using db = closing(openDatabase(database_path))
  db.run('UPDATE catalogues SET shared = 0 WHERE shared = 1')
  // The write-ahead log is not copied with the file.
  db.run('PRAGMA wal_checkpoint(TRUNCATE)')
  flush(database_path)
}

/** Writes [storage] of one catalogue into another: rows and files are where this machine keeps them, not where they were. */
function keepSection(from_path: string, to_path: string): void {
  const text = textOf(to_path)
  const [own, other] = [sectionIn(textOf(from_path)), sectionIn(text)]
  if (Bun.deepEquals(own, other)) return
  const path = ['storage']
  const edit: Edit = own === undefined ? { op: 'remove', path } : { op: 'set', path, value: own }
  writeFileSync(to_path, editedToml(text, [edit]))
  flush(to_path)
}

/** Undefined without one, also in what is no TOML. */
function sectionIn(text: string): TomlValue | undefined {
  if (!text.includes('storage')) return undefined
  const document = readToml(text)
  return document.ok ? (document.value.storage as TomlValue | undefined) : undefined
}
