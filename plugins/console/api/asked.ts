// Whose rows a viewer asks for: accounts by number or name, and never another's.
import { accountNamed, type ListedAccount, listedAccount } from '../../../src/access/account-listing.ts'
import { accountOf, type Viewer } from '../../../src/access/viewer.ts'
import { notFound } from '../../../src/domain/errors.ts'
import type { Gateway } from '../../../src/surface/gateway.ts'
import { numberIn } from './fields.ts'

/** An account by its number, or else by its name. @throws GatewayError not_found */
export function requireAccount({ db }: Pick<Gateway, 'db'>, reference: string): ListedAccount {
  const number = numberIn(reference)
  const found = (number !== undefined && listedAccount(db, number)) || accountNamed(db, reference)
  if (!found) throw noSuchAccount()
  return found
}

/**
 * The account whose rows a viewer asks for; undefined: those of all.
 *
 * @param asked its number or name
 * @throws GatewayError not_found for another's account, and one that does not exist
 */
export function accountAsked(
  gateway: Pick<Gateway, 'db'>,
  viewer: Viewer,
  asked: string | undefined,
): number | undefined {
  if (asked === undefined) return accountOf(viewer)
  if (viewer.role === 'operator') return requireAccount(gateway, asked).id
  if (asked !== viewer.account && numberIn(asked) !== viewer.account_id) throw noSuchAccount()
  return viewer.account_id
}

const noSuchAccount = () => notFound('Account not found. See the list of accounts.', { param: 'account' })
