// Reads of the catalogue in a server's database: by a starting gateway before it opens its stores, and by commands.
import type { SharedText } from '../../catalogue/load-file.ts'
import { newestShared } from '../../catalogue/past-queries.ts'
import type { Environment } from '../../catalogue/providers.ts'
import type { StorageSettings } from '../../domain/catalogue.ts'
import type { Db } from '../../store/db.ts'
import type { DataPaths } from './data-paths.ts'
import { engineOf, storageOfFolder } from './engine/of.ts'
import { openOlder } from './older-database.ts'

interface SharedSource {
  /** @returns undefined while the database has no catalogue @throws StorageFailure */
  read(): Promise<SharedText | undefined>
  /** Reads from this open database from now on. */
  follow(db: Db): void
}

/**
 * Reads the catalogue for a starting gateway, before everything else. The database is not changed, since the start may still be refused.
 * @returns undefined if the rows are not on a server @throws as `Engine.open`
 */
export async function openShared(paths: DataPaths, env: Environment): Promise<SharedSource | undefined> {
  const storage = await databaseOf(paths, env)
  if (!storage) return undefined
  const first = await readFirst(storage, paths)
  let followed: Db | undefined
  return {
    read: async () => (followed ? await newestShared(followed) : first),
    follow(db) {
      followed = db
    },
  }
}

/** Reads it for a command. @returns undefined if the rows are not on a server, or before the first start there @throws as `Engine.open` */
export async function sharedOfFolder(paths: DataPaths, env: Environment): Promise<SharedText | undefined> {
  const storage = await databaseOf(paths, env)
  try {
    return storage && (await readOnce(storage, paths))
  } catch (thrown) {
    const { OlderTables } = await import('../../store/engines/postgres/migrate.ts')
    // No gateway of this version has served the database yet.
    if (thrown instanceof OlderTables) return undefined
    throw thrown
  }
}

async function databaseOf(paths: DataPaths, env: Environment): Promise<StorageSettings | undefined> {
  try {
    const storage = await storageOfFolder(paths, env)
    return storage.database === undefined ? undefined : storage
  } catch {
    // Dropped: the caller reads the same file next, and reports its mistakes.
    return undefined
  }
}

/** The first version of the tables with catalogues for all gateways. */
const SHARED_VERSION = 30

async function readFirst(storage: StorageSettings, paths: DataPaths): Promise<SharedText | undefined> {
  await using older = await openOlder(storage, paths.dir)
  if (!older) return await readOnce(storage, paths)
  return older.db && older.version >= SHARED_VERSION ? await newestShared(older.db) : undefined
}

async function readOnce(storage: StorageSettings, { dir }: DataPaths): Promise<SharedText | undefined> {
  const engine = await engineOf(storage, dir)
  await using db = await engine.open({ access: 'read' })
  return await newestShared(db)
}
