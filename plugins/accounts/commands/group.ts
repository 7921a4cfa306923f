// Price group of an account in commands: the option, checked against the catalogue, and the line of output.
import { checkPriceGroup } from '../../../src/access/account-group.ts'
import {
  type DataFolder,
  readCatalogueOf,
  requireCatalogue,
} from '../../../src/app/command-line/data-folder.ts'
import type { Account } from '../../../src/store/schema.ts'

export interface GroupOption {
  group?: string
}

/** The option's value for list prices. */
const NO_GROUP = 'none'

/**
 * Returns the requested group; null for list prices; undefined without the option.
 *
 * @throws GatewayError invalid_request for a group that the catalogue does not have
 */
export async function groupIn(
  { group }: GroupOption,
  folder: DataFolder,
): Promise<string | null | undefined> {
  if (group === undefined) return undefined
  if (group === NO_GROUP) return null
  checkPriceGroup((await requireCatalogue(folder)).catalogue, group)
  return group
}

/** Returns the line with the account's group; no line for list prices. */
export async function groupLine(
  { price_group }: Pick<Account, 'price_group'>,
  folder: DataFolder,
): Promise<[string, string][]> {
  if (price_group === null) return []
  const reading = await readCatalogueOf(folder)
  const is_lost = 'catalogue' in reading && !reading.catalogue.price_groups.has(price_group)
  return [
    ['price group', is_lost ? `${price_group}, not in the catalogue: it pays list prices` : price_group],
  ]
}
