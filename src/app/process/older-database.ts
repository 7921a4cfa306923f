// The database that the next start makes or migrates, opened to read what is in it yet.
import { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { StorageSettings } from '../../domain/catalogue.ts'
import type { Db } from '../../store/db.ts'
import { MIGRATIONS, schemaVersion } from '../../store/engines/sqlite/migrate.ts'
import { dbOver } from '../../store/engines/sqlite/sqlite.ts'
import { closing } from '../../utilities/at-end.ts'

export interface OlderDatabase extends AsyncDisposable {
  /** 0 where there are no tables, or cannot be read: opening the database says why. */
  version: number
  /** Undefined without tables. It is only read. */
  db: Db | undefined
}

/** @returns undefined for one of this program's version, or of a newer one @throws Error where a server cannot be reached, or is not as it must be */
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

/** The version of a database's file; 0 where there are no tables, or cannot be read. */
export function versionOfFile(path: string): number {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return 0
  try {
    using connection = closing(new Database(path, { readonly: true, strict: true }))
    connection.run(`PRAGMA busy_timeout = ${BUSY_MS}`)
    return schemaVersion(connection)
  } catch {
    // A file that is no database, or another user's.
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
