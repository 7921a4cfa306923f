// The price group of an account: its name in the catalogue, which the account keeps where the catalogue loses it.
import type { Catalogue } from '../domain/catalogue.ts'
import { invalidRequest } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { Awaitable, Db } from '../store/db.ts'
import { lockedAccount, refuseErased } from './accounts.ts'
import { groupQueries } from './queries.ts'

/**
 * Moves an account into a price group, or back to list prices. Calls that run keep the price that they were quoted.
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

/** An account's group, and how many open accounts are in it. */
interface GroupCount {
  price_group: string
  accounts: number
}

/** The groups that accounts are in, in the catalogue or not, by name. Closed accounts do not count. */
export const countByGroup = (db: Db): Awaitable<GroupCount[]> => groupQueries(db).count.all()
