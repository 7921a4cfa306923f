// The doctor's check of price groups: accounts whose group is missing in the catalogue.
import { countByGroup } from '../../../src/access/account-group.ts'
import { type Diagnosis, diagnosesOf, type ReadContext } from '../../../src/app/checks/check.ts'
import { openToRead } from '../../../src/app/checks/database.ts'
import { counted } from '../../../src/utilities/counted.ts'

const { ok, warn } = diagnosesOf('price groups')

/** Returns no diagnosis without a database: the check `database` reports that. */
export async function checkPriceGroups(context: ReadContext): Promise<Diagnosis[]> {
  const { price_groups } = context.catalogue
  await using db = await openToRead(context)
  if (!db) return []
  const counts = await countByGroup(db)
  const lost = counts.filter(({ price_group }) => !price_groups.has(price_group))
  if (lost.length > 0)
    return lost.map(({ price_group, accounts }) =>
      warn(
        `${counted(accounts, 'account')} ${accounts === 1 ? 'is' : 'are'} in the price group "${price_group}", which is not in the catalogue: ${accounts === 1 ? 'it pays' : 'they pay'} list prices`,
        'Add the group to the catalogue, or move the accounts: `tollgate account change NAME --group GROUP` (`none`: list prices).',
      ),
    )
  const in_groups = counts.reduce((sum, { accounts }) => sum + accounts, 0)
  if (price_groups.size === 0) return [ok('none is configured')]
  return [ok(`${counted(price_groups.size, 'price group')}, with ${counted(in_groups, 'account')} in them`)]
}
