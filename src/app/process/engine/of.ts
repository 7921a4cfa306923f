// The choice of the engine, by the section [storage] of the catalogue.
import { existsSync, readFileSync } from 'node:fs'
import type { Environment } from '../../../catalogue/providers.ts'
import type { StorageSettings } from '../../../domain/catalogue.ts'
import type { DataPaths } from '../data-paths.ts'
import type { Engine } from './engine.ts'

/** @param data_folder which has the file, unless the settings name a server */
export const engineOf = async ({ database }: StorageSettings, data_folder: string): Promise<Engine> =>
  database === undefined
    ? (await import('./sqlite.ts')).sqliteEngine(data_folder)
    : (await import('./postgres.ts')).postgresEngine(database)

/** The same by the catalogue file of a folder. @throws as `storageOfFolder` */
export const engineIn = async (paths: DataPaths, env: Environment): Promise<Engine> =>
  await engineOf(await storageOfFolder(paths, env), paths.dir)

/**
 * The section of a folder's catalogue file, whatever is wrong elsewhere in it.
 * @throws Error with a line for each mistake in the section; the file system's for a file that cannot be read
 */
export async function storageOfFolder(
  { catalogue_path }: Pick<DataPaths, 'catalogue_path'>,
  env: Environment,
): Promise<StorageSettings> {
  // Most files have no such section, and what reads it takes longer to load than most commands take.
  if (!existsSync(catalogue_path) || !readFileSync(catalogue_path, 'utf8').includes('storage'))
    return { database: undefined, files: undefined }
  const { storageIn } = await import('../../../catalogue/storage.ts')
  return await storageIn(catalogue_path, env)
}
