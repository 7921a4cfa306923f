// The data folder as commands see it: the paths of its files, and access to its database and catalogue.
import { Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Mistake } from '../config/mistakes.ts'
import type { Environment } from '../config/providers.ts'
import type { MigrationCopy } from '../db/copy.ts'
import type { Awaitable, Db } from '../db/db.ts'
import { refuseUnwritable } from '../db/folder.ts'
import { takeLock } from '../db/lock.ts'
import { MIGRATIONS, schemaVersion } from '../db/migrate.ts'
import { openDatabase } from '../db/open.ts'
import { type DbOptions, openDb } from '../db/sqlite.ts'
import type { By } from '../domain/actions.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { conflict, invalidRequest, notFound, unprocessable } from '../domain/errors.ts'
import { removeLeftovers, tidy } from '../server/backup/leftovers.ts'
import { type DataPaths, dataPaths } from '../server/backup/paths.ts'
import { finishRestore } from '../server/backup/replace.ts'
import { closing } from '../utilities/at-end.ts'

export interface DataFolder extends DataPaths {
  /** Told what was done to the folder beside what the command does. */
  remark?: (text: string) => void
  /** Whose changes the audit log has; absent: the gateway's own. */
  by?: By
}

/** Which folder a command is called for. @param options of the command line */
export const dataFolderOf = ({ data }: { data?: string | undefined }, env: Environment): string =>
  data ?? (env.TOLLGATE_DATA || './data')

/**
 * The paths of a data folder's files, whether or not they exist.
 *
 * @throws GatewayError invalid_request for what is a file; the file system's error for what cannot be looked at
 */
export function dataFolder(dir: string): DataFolder {
  if (statSync(dir, { throwIfNoEntry: false })?.isFile()) {
    throw invalidRequest(
      `${dir} is a file. Set --data or TOLLGATE_DATA to the folder with tollgate.toml and tollgate.db, such as ${resolve(dirname(dir))}.`,
    )
  }
  return dataPaths(dir)
}

/**
 * Runs `work` with the database, which is closed afterwards. Works beside a running gateway.
 *
 * @param access `read`; `write`; or `make`, which writes to a new database where the folder has none
 * @throws GatewayError not_found without a database (`make`: without the folder); whatever opening or `work` throws
 */
export async function withDatabase<T>(
  folder: DataFolder,
  access: 'read' | 'write' | 'make',
  work: (db: Db) => Awaitable<T>,
): Promise<T> {
  requireFile(folder, access === 'make' ? folder.dir : folder.database_path)
  await using db = openIn(folder, access, openDb)
  return await work(db)
}

/** The same with a connection to SQLite, for what is about its file. */
export async function withDatabaseFile<T>(
  folder: DataFolder,
  access: 'read' | 'write',
  work: (db: Database) => Promise<T>,
): Promise<T> {
  requireFile(folder, folder.database_path)
  using db = closing(openIn(folder, access, openDatabase))
  return await work(db)
}

/** To read, SQLite must write beside the database, and tells no reason where it cannot. */
function openIn<Opened>(
  folder: DataFolder,
  access: 'read' | 'write' | 'make',
  open: (path: string, options: DbOptions) => Opened,
): Opened {
  const { dir, database_path, remark, by } = folder
  const readonly = access === 'read'
  if (!readonly) refuseUnwritable(dir)
  try {
    using _lock = readonly ? undefined : lockToMigrate(folder)
    return open(database_path, { readonly, by, onCopy: (copy) => remark?.(aboutCopy(copy)) })
  } catch (thrown) {
    refuseUnwritable(dir)
    throw thrown
  }
}

/**
 * Keeps gateways away while a database of an older version is migrated. One that serves it would go on by tables that it
 * does not know: between the moment that a newer program is put in place and the restart.
 *
 * @throws GatewayError conflict while one serves it
 */
function lockToMigrate({ dir, database_path }: DataFolder): Disposable | undefined {
  if (!isOlder(database_path)) return undefined
  const unlock = takeLock(join(dir, 'serve.lock'))
  if (unlock) return unlock
  throw conflict(
    `A gateway of an older version serves ${dir}. Restart it with this version first, so that it migrates the database.`,
  )
}

function isOlder(path: string): boolean {
  if (!existsSync(path)) return false
  using db = closing(new Database(path, { readonly: true }))
  const version = schemaVersion(db)
  return version > 0 && version < MIGRATIONS.length
}

const aboutCopy = ({ path, from_version, to_version }: MigrationCopy): string =>
  `The database was migrated from version ${from_version} to ${to_version}. A copy of the old one is kept: ${path}.`

/** A catalogue without mistakes, and what is worth a warning in it, also as lines of text. */
export interface GoodCatalogue {
  catalogue: Catalogue
  warnings: readonly Mistake[]
  warning_lines: readonly string[]
}

/** The catalogue, or its mistakes, also as lines of text. */
export async function readCatalogueOf(
  path: string,
  env: Environment,
): Promise<GoodCatalogue | { mistakes: Mistake[]; lines: string[] }> {
  // Half of what there is to load, for a file that most commands do not read.
  const [{ readCatalogueFile }, { formatMistake }, { BUILT_IN_REGISTRY }] = await Promise.all([
    import('../config/load-file.ts'),
    import('../config/mistakes.ts'),
    import('../protocols/registry.ts'),
  ])
  const reading = await readCatalogueFile(path, { env, protocols: BUILT_IN_REGISTRY })
  const lines = (mistakes: readonly Mistake[]) => mistakes.map((mistake) => formatMistake(path, mistake))
  if (!reading.ok) return { mistakes: reading.mistakes, lines: lines(reading.mistakes) }
  const { catalogue, warnings } = reading
  return { catalogue, warnings, warning_lines: lines(warnings) }
}

/** The same where the command cannot do without. @throws GatewayError unprocessable with a line for each mistake */
export async function requireCatalogue(path: string, env: Environment): Promise<GoodCatalogue> {
  const reading = await readCatalogueOf(path, env)
  if ('catalogue' in reading) return reading
  throw unprocessable(`The catalogue has mistakes:\n${reading.lines.join('\n')}`)
}

function requireFile({ dir, remark }: DataFolder, path: string): void {
  finishRestore(dir)
  const removed = tidy(() => removeLeftovers(dir))
  if (removed.length > 0) remark?.(`Removed leftovers of a killed command: ${removed.join(', ')}.`)
  // Throws where it may not be looked at, which is not the same as absent.
  if (statSync(path, { throwIfNoEntry: false })) return
  const missing =
    path === dir ? `Folder not found: ${resolve(dir)}.` : `No database found at ${resolve(path)}.`
  throw notFound(
    `${missing} Name the data folder with --data DIR, or run \`tollgate serve\` once to create it.`,
  )
}
