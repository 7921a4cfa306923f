// The SQLite engine: a file in the data folder, served by one gateway. Commands may write to it at the same time.
import type { Database } from 'bun:sqlite'
import { statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { conflict, notFound } from '../../../domain/errors.ts'
import type { Logger } from '../../../observe/log.ts'
import { DATABASE_BYTES } from '../../../store/disk-room.ts'
import type { MigrationCopy } from '../../../store/engines/sqlite/copy.ts'
import { fileIntegrity, refuseUnreadable } from '../../../store/engines/sqlite/integrity.ts'
import { MIGRATIONS } from '../../../store/engines/sqlite/migrate.ts'
import { openDatabase } from '../../../store/engines/sqlite/open.ts'
import { fileScrubbing } from '../../../store/engines/sqlite/scrubbing.ts'
import { type DbOptions, openDb } from '../../../store/engines/sqlite/sqlite.ts'
import { refuseUnwritable } from '../../../store/folder.ts'
import { takeLock, takeServeLock } from '../../../store/lock.ts'
import { watchPlace } from '../../../store/place.ts'
import { closing } from '../../../utilities/at-end.ts'
import { versionOfFile } from '../older-database.ts'
import { reportPlaceTo } from '../reports.ts'
import type { Engine, EngineOptions, ServedDatabase } from './engine.ts'
import { beginAlone } from './own-gateway.ts'

export function sqliteEngine(data_folder: string): Engine {
  const path = join(data_folder, 'tollgate.db')
  return {
    address: resolve(path),
    is_shared: false,
    async open(options) {
      requireDatabase(data_folder, options)
      return openIn(data_folder, options, openDb)
    },
    async openLedger(options = {}) {
      const { openLedger } = await import('../../../money/ledger/ledger.ts')
      return openLedger({ path, ...options })
    },
    openIntegrity: () => fileIntegrity(openDatabase(path, { readonly: true })),
    async about(db) {
      const [row] = await db.rows<{ bytes: number }>(DATABASE_BYTES)
      return { engine: 'SQLite', bytes: row?.bytes ?? 0 }
    },
    async writeSnapshot(copy_path, goesWith) {
      const { writeSnapshot } = await import('../snapshot.ts')
      using db = closing(openFile(data_folder, { access: 'read' }))
      return await writeSnapshot(db, copy_path, goesWith)
    },
    async lockBackups() {
      const unlock = takeLock(join(data_folder, 'backup.lock'))
      return unlock && { [Symbol.asyncDispose]: async () => unlock() }
    },
    // One gateway serves the folder, and runs one audit at a time.
    lockAudits: async () => ({ [Symbol.asyncDispose]: async () => {} }),
    openScrubbing: () => fileScrubbing(path),
    serve: async (log, max_busy_wait_ms) => serve(path, log, max_busy_wait_ms),
    join: beginAlone,
  }
}

/** Opens a raw connection to the file. @throws as `Engine.open` */
function openFile(data_folder: string, options: EngineOptions): Database {
  requireDatabase(data_folder, options)
  return openIn(data_folder, options, openDatabase)
}

/** @throws GatewayError not_found if there is no database (`make`: no folder) */
function requireDatabase(dir: string, { access }: EngineOptions): void {
  const path = access === 'make' ? dir : join(dir, 'tollgate.db')
  // Throws if permission is denied, which differs from a missing file.
  if (statSync(path, { throwIfNoEntry: false })) return
  const missing =
    path === dir ? `Folder not found: ${resolve(dir)}.` : `No database found at ${resolve(path)}.`
  throw notFound(
    `${missing} Name the data folder with --data DIR, or run \`tollgate serve\` once to create it.`,
  )
}

/** SQLite must write to the database's folder even to read it, and gives no reason if it cannot: so the folder is checked after a failure. */
function openIn<Opened>(
  dir: string,
  { access, by, remark }: EngineOptions,
  open: (path: string, options: DbOptions) => Opened,
): Opened {
  const readonly = access === 'read'
  if (!readonly) refuseUnwritable(dir)
  try {
    using _lock = readonly ? undefined : lockToMigrate(dir)
    return open(join(dir, 'tollgate.db'), { readonly, by, onCopy: (copy) => remark?.(aboutCopy(copy)) })
  } catch (thrown) {
    refuseUnwritable(dir)
    throw thrown
  }
}

/**
 * Locks out gateways while a database of an older version is migrated. A gateway that still serves it, before its restart with the
 * newer program, would continue with tables that it does not know.
 * @throws GatewayError conflict if a gateway serves it
 */
function lockToMigrate(dir: string): Disposable | undefined {
  const version = versionOfFile(join(dir, 'tollgate.db'))
  if (version === 0 || version >= MIGRATIONS.length) return undefined
  const unlock = takeServeLock(dir)
  if (unlock) return unlock
  throw conflict(
    `A gateway of an older version serves ${dir}. Restart it with this version first, so that it migrates the database.`,
  )
}

const aboutCopy = ({ path, from_version, to_version }: MigrationCopy): string =>
  `The database was migrated from version ${from_version} to ${to_version}. A copy of the old one is kept: ${path}.`

/** Opens the database. Writes fail while its files are missing or replaced. */
function serve(path: string, log: Logger, max_busy_wait_ms?: number): ServedDatabase {
  const onCopy = (copy: MigrationCopy) =>
    log.info({ ...copy }, 'migrated the database; a copy from before is kept')
  refuseUnreadable(path)
  const db = openDb(path, { onCopy, max_busy_wait_ms, trouble: () => place.trouble })
  const place = watchPlace(path, reportPlaceTo(log))
  return {
    db,
    call_db: db,
    get trouble() {
      return place.trouble
    },
    async close() {
      place.stop()
      await db.close()
    },
  }
}
