// The catalogue of `migrate` from a server into a folder: what was in the database for all gateways becomes the file there.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { DataFolder } from '../../src/app/command-line/data-folder.ts'
import { dataPaths } from '../../src/app/process/data-paths.ts'
import { withMachine } from '../../src/catalogue/of-the-machine.ts'
import { newestShared } from '../../src/catalogue/shared.ts'
import { readToml } from '../../src/catalogue/toml.ts'
import type { Db } from '../../src/store/db.ts'
import { giveToFolderOwner } from '../../src/store/folder.ts'

/** `to be written`: the folder has a file already, which is left as it is. */
export type PlacedCatalogue = 'written' | 'to be written'

/**
 * Writes the catalogue that a database has in force for all gateways as the file of a folder, with what is of this machine, if it has none.
 *
 * @param keeps_bucket the files stay in the bucket of [storage]
 * @returns undefined where the file of each machine is in force
 */
export async function placeCatalogue(
  db: Db,
  from: DataFolder,
  dir: string,
  keeps_bucket: boolean,
): Promise<PlacedCatalogue | undefined> {
  const shared = await newestShared(db)
  if (!shared) return undefined
  const { catalogue_path } = dataPaths(dir)
  if (existsSync(catalogue_path)) return 'to be written'
  const document = readToml(readFileSync(from.catalogue_path, 'utf8'))
  const { storage, ...machine } = document.ok ? document.value : {}
  const { database: _, ...bucket } = Object(storage)
  const has_storage = keeps_bucket && Object.keys(bucket).length > 0
  const own = has_storage ? { ...machine, storage: bucket } : machine
  writeFileSync(catalogue_path, withMachine(shared.text, own), { flag: 'wx', mode: 0o600, flush: true })
  giveToFolderOwner(catalogue_path)
  return 'written'
}
