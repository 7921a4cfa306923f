// The catalogue's limits of one account, for commands that rename or erase it.
import { type DataFolder, readCatalogueOf } from './data-folder.ts'

/** The remark on limits that the catalogue has under an account's old name; undefined without any, or where it cannot be read. */
export async function remarkOnLimits(name: string, folder: DataFolder): Promise<string | undefined> {
  const reading = await readCatalogueOf(folder)
  if (!('catalogue' in reading) || !Object.hasOwn(reading.catalogue.limits.accounts ?? {}, name))
    return undefined
  return `The catalogue has limits for ${name}: change [limits.accounts.${name}] there, too.`
}
