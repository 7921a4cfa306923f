// The choice of the engine, by the section [storage] of the catalogue.
import { existsSync, readFileSync } from 'node:fs'
import type { Environment } from '../../../catalogue/providers.ts'
import type { StorageSettings } from '../../../domain/catalogue.ts'
import type { DataPaths } from '../data-paths.ts'
import type { Engine } from './engine.ts'

/** @param data_folder the folder of the database file, unless the settings name a server */
export const engineOf = async ({ database }: StorageSettings, data_folder: string): Promise<Engine> =>
  database === undefined
    ? (await import('./sqlite.ts')).sqliteEngine(data_folder)
    : (await import('./postgres.ts')).postgresEngine(database)

/** Returns the engine named by a folder's catalogue file. @throws as `storageOfFolder` */
export const engineIn = async (paths: DataPaths, env: Environment): Promise<Engine> =>
  await engineOf(await storageOfFolder(paths, env), paths.dir)

/**
 * Reads the section [storage] of a folder's catalogue file, even if other sections have mistakes.
 * @throws Error with a line for each mistake in the section; the file system's error if the file cannot be read
 */
export async function storageOfFolder(
  { catalogue_path }: Pick<DataPaths, 'catalogue_path'>,
  env: Environment,
): Promise<StorageSettings> {
  // Most files have no such section, and loading its parser takes longer than most commands.
  if (!existsSync(catalogue_path) || !readFileSync(catalogue_path, 'utf8').includes('storage'))
    return { database: undefined, files: undefined }
  const { storageIn } = await import('../../../catalogue/storage.ts')
  return await storageIn(catalogue_path, env)
}
