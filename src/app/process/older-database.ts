// The database before a start creates or migrates it, opened for reading.
import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { StorageSettings } from '../../domain/catalogue.ts'
import type { Db } from '../../store/db.ts'
import { MIGRATIONS, schemaVersion } from '../../store/engines/sqlite/migrate.ts'
import { dbOver } from '../../store/engines/sqlite/sqlite.ts'
import { closing } from '../../utilities/at-end.ts'

export interface OlderDatabase extends AsyncDisposable {
  /** 0 if there are no tables, or they cannot be read: opening the database reports the reason. */
  version: number
  /** Read-only; undefined if there are no tables. */
  db: Db | undefined
}

/** @returns undefined for a database of this program's version or a newer one @throws Error if a server is unreachable or unsuitable */
export const openOlder = (
  { database }: StorageSettings,
  data_folder: string,
): Promise<OlderDatabase | undefined> =>
  database === undefined ? openFile(join(data_folder, 'tollgate.db')) : openServer(database)

async function openFile(path: string): Promise<OlderDatabase | undefined> {
  const version = versionOfFile(path)
  if (version >= MIGRATIONS.length) return undefined
  if (version === 0) return { version, db: undefined, async [Symbol.asyncDispose]() {} }
  const connection = new Database(path, { readonly: true, strict: true })
  return { version, db: dbOver(connection), [Symbol.asyncDispose]: async () => connection.close() }
}

const BUSY_MS = 5_000

/** Reads the version of a database file; 0 if it has no tables, or cannot be read. */
export function versionOfFile(path: string): number {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return 0
  try {
    using connection = closing(new Database(path, { readonly: true, strict: true }))
    connection.run(`PRAGMA busy_timeout = ${BUSY_MS}`)
    return schemaVersion(connection)
  } catch {
    // Dropped: the file is no database, or belongs to another user.
    return 0
  }
}

async function openServer(url: string): Promise<OlderDatabase | undefined> {
  const { versionOnServer } = await import('../../store/engines/postgres/open.ts')
  const { NEWEST } = await import('../../store/engines/postgres/migrate.ts')
  const version = await versionOnServer(url)
  if (version >= NEWEST) return undefined
  const { PostgresDb } = await import('../../store/engines/postgres/db.ts')
  const db = version === 0 ? undefined : new PostgresDb(url, { readonly: true, max_connections: 1 })
  return { version, db, [Symbol.asyncDispose]: async () => await db?.close() }
}
