// The price group of an account, by its name in the catalogue. The account keeps the name if the catalogue loses the group.
import type { Catalogue } from '../domain/catalogue.ts'
import { invalidRequest } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { Awaitable, Db } from '../store/db.ts'
import { lockedAccount, refuseErased } from './accounts.ts'
import { groupQueries } from './queries.ts'

/**
 * Moves an account into a price group, or back to list prices. Running calls keep their quoted price.
 *
 * @param group null: list prices
 * @throws GatewayError not_found without the account; conflict if it is erased
 */
export async function setPriceGroup(db: Db, name: string, group: string | null): Promise<void> {
  await db.begin(async (tx) => {
    const account = await lockedAccount(tx, name)
    await refuseErased(tx, account)
    const { id, price_group: before } = account
    if (before === group) return
    await groupQueries(tx).set.run({ id, price_group: group })
    await recordAction(tx, {
      action: 'account.price_group_changed',
      account_id: id,
      before: { price_group: before },
      after: { price_group: group },
    })
  })
}

/** @throws GatewayError invalid_request for a group that the catalogue does not have, unless the account is in it */
export function checkPriceGroup(
  { price_groups }: Pick<Catalogue, 'price_groups'>,
  group: string | null,
  present: string | null = null,
): void {
  if (group === null || group === present || price_groups.has(group)) return
  const known = [...price_groups.keys()]
  throw invalidRequest(
    known.length === 0
      ? `price_group: "${group}" is not in the catalogue, which has no price groups. Add [[price_groups]] to it first.`
      : `price_group: "${group}" is not in the catalogue. Its price groups: ${known.join(', ')}.`,
    { param: 'price_group' },
  )
}

/** A price group and its number of open accounts. */
interface GroupCount {
  price_group: string
  accounts: number
}

/** Counts open accounts by price group, in the order of names, also for groups that the catalogue lacks. */
export const countByGroup = (db: Db): Awaitable<GroupCount[]> => groupQueries(db).count.all()
