// Refusals of a start before it changes anything: taken addresses, unusable certificates, missing folders of an older database.
import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS, schemaVersion } from '../db/migrate.ts'
import { dbOver } from '../db/sqlite.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { refuseMissingFolders } from '../library/missing.ts'
import { closing } from '../utilities/at-end.ts'
import { parseListenAddress } from '../utilities/listen-address.ts'
import { fileStoresOf } from './files/stores.ts'
import { listenRefusal } from './listen-refusal.ts'
import { refuseTaken } from './listening.ts'
import { METRICS_ADVICE } from './metrics-listener.ts'

export interface StartChecks {
  catalogue: Catalogue
  data_folder: string
  /** `address:port` */
  listen: string
  /** Starts without the files that the database names. */
  accept_missing_files: boolean
}

/**
 * Looks for what would refuse the start once the database is migrated, since the program before could not read it any more. Only
 * under the folder's lock: the gateway that serves the folder has the address, too.
 *
 * @throws Error with a text for the operator; nothing was changed
 */
export async function refuseStart(checks: StartChecks): Promise<void> {
  const { catalogue, data_folder, listen, accept_missing_files } = checks
  refuseAddress(listen)
  if (catalogue.metrics.listen !== undefined) refuseAddress(catalogue.metrics.listen, METRICS_ADVICE)
  await refuseCertificate(catalogue, data_folder)
  const { database, files } = catalogue.storage
  if (database === undefined && !files && !accept_missing_files) await refuseMissingFiles(data_folder)
}

/** @throws Error with a text for the operator where the address cannot be listened on */
export function refuseAddress(listen: string, advice?: string): void {
  try {
    refuseTaken(parseListenAddress(listen))
  } catch (cause) {
    throw listenRefusal(listen, cause, advice)
  }
}

async function refuseCertificate({ server }: Catalogue, data_folder: string): Promise<void> {
  if (server.tls_certificate === undefined) return
  // The module that reads certificates takes a megabyte of memory.
  const { readTlsPair, tlsFilesOf } = await import('./tls-files.ts')
  const files = tlsFilesOf(server, data_folder)
  if (files) await readTlsPair(files)
}

/** The first version that says which files are missing; databases before it are looked at once they are migrated. */
const MISSING_FILES_VERSION = 5

/**
 * Refuses missing folders of a database that the next start migrates. One that is up to date is looked at when it is opened.
 *
 * @throws Error that says what is missing
 */
export async function refuseMissingFiles(data_folder: string): Promise<void> {
  const path = join(data_folder, 'tollgate.db')
  const version = versionOf(path)
  if (version < MISSING_FILES_VERSION || version >= MIGRATIONS.length) return
  using connection = closing(new Database(path, { readonly: true, strict: true }))
  const stores = fileStoresOf({ files: undefined }, data_folder)
  await refuseMissingFolders({ ...stores, db: dbOver(connection) }, data_folder)
}

/** 0 where it cannot be told: opening the database says why. */
function versionOf(path: string): number {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return 0
  try {
    using connection = closing(new Database(path, { readonly: true, strict: true }))
    return schemaVersion(connection)
  } catch {
    // A file that is no database, or another user's.
    return 0
  }
}
