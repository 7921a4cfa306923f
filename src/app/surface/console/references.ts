// Lookup of accounts by number or name, and of keys by number or prefix, within the viewer's rights.
import { Type } from '@sinclair/typebox'
import { accountNamed, type ListedAccount, listedAccount } from '../../../access/account-listing.ts'
import { type ListedKey, listedKey } from '../../../access/key-listing.ts'
import { accountQueries, keyQueries } from '../../../access/queries.ts'
import { accountOf, onlyKeysOf, seesKey, type Viewer } from '../../../access/viewer.ts'
import { conflict, invalidRequest, notFound } from '../../../domain/errors.ts'
import type { Db, Tx } from '../../../store/db.ts'
import type { Account, Key } from '../../../store/schema.ts'
import type { Gateway } from '../gateway.ts'
import { AccountRef, numberIn } from './fields.ts'

/** The number or name of an account, for the operator. Other viewers see their own account without it. */
export const ACCOUNT_PARAMETER = { account: Type.Optional(AccountRef) }

/** Reads the chosen account; undefined if the operator names none. @throws GatewayError as `payingAccount` */
export async function chosenAccount(
  db: Db,
  viewer: Viewer,
  reference: string | undefined,
): Promise<Account | undefined> {
  const id = await payingAccount({ db }, viewer, reference)
  return id === undefined ? undefined : await accountQueries(db).accountById.get({ id })
}

/**
 * Reads the chosen account, for a request that needs one.
 * @throws GatewayError as `chosenAccount`; invalid_request if the operator names none
 */
export async function requireChosenAccount(
  db: Db,
  viewer: Viewer,
  reference: string | undefined,
): Promise<Account> {
  const account = await chosenAccount(db, viewer, reference)
  if (account) return account
  throw invalidRequest('account: choose an account.', { param: 'account' })
}

/** Finds an account by its number, or else by its name. @throws GatewayError not_found */
export async function requireAccount({ db }: Pick<Gateway, 'db'>, reference: string): Promise<ListedAccount> {
  const number = numberIn(reference)
  const found =
    (number !== undefined && (await listedAccount(db, number))) || (await accountNamed(db, reference))
  if (!found) throw noSuchAccount()
  return found
}

/** Finds an account and locks it until the end of the transaction. @throws as `requireAccount` */
export async function lockedAccount(tx: Tx, reference: string): Promise<ListedAccount> {
  const { id } = await requireAccount({ db: tx }, reference)
  await tx.lock(id)
  return await requireAccount({ db: tx }, String(id))
}

/**
 * Returns the account of the requested rows; undefined for all accounts.
 * @throws GatewayError not_found for an account that does not exist, or that the viewer may not see
 */
export async function requestedAccount(
  gateway: Pick<Gateway, 'db'>,
  viewer: Viewer,
  reference: string | undefined,
): Promise<number | undefined> {
  if (reference === undefined) return accountOf(viewer)
  if (viewer.side === 'operator') return (await requireAccount(gateway, reference)).id
  if (reference !== viewer.account && numberIn(reference) !== viewer.account_id) throw noSuchAccount()
  return viewer.account_id
}

/**
 * Returns the account that pays for a request. A number that is also the name of another account is refused as ambiguous.
 * @throws GatewayError as `requestedAccount`; conflict if the reference is ambiguous
 */
export async function payingAccount(
  gateway: Pick<Gateway, 'db'>,
  viewer: Viewer,
  reference: string | undefined,
): Promise<number | undefined> {
  const id = await requestedAccount(gateway, viewer, reference)
  const named =
    viewer.side === 'operator' && reference !== undefined
      ? await accountNamed(gateway.db, reference)
      : undefined
  if (named && named.id !== id)
    throw conflict(
      `account: ${reference} is the name of one account and the number of another. Rename the first one: \`tollgate account rename ${reference} NEW-NAME\`.`,
      { param: 'account', code: 'ambiguous_account' },
    )
  return id
}

const noSuchAccount = () => notFound('Account not found. See the list of accounts.', { param: 'account' })

/** Finds a key by its number, or else by its prefix. @throws GatewayError not_found, also for a key that the viewer may not see */
export async function requireKey(
  { db }: Pick<Gateway, 'db'>,
  viewer: Viewer,
  reference: string,
  account_id: number | undefined = accountOf(viewer),
): Promise<ListedKey> {
  const number = numberIn(reference)
  const of_prefix: Key[] = await keyQueries(db).keysByPrefix.all({ prefix: reference })
  const ids = [...(number === undefined ? [] : [number]), ...of_prefix.map(({ id }) => id)]
  const visible: ListedKey[] = []
  for (const id of ids) {
    const key = await listedKey(db, id, account_id)
    if (key && seesKey(viewer, id)) visible.push(key)
    if (key && id === number) break
  }
  const [found] = visible
  if (!found) throw notFound('Key not found. See the list of keys.', { param: 'key' })
  if (visible.length > 1)
    throw conflict(`More than one key begins with "${reference}". Choose one in the list of keys.`, {
      param: 'key',
    })
  return found
}

/**
 * Returns the keys of the requested rows; without a reference those that the viewer may see, undefined for all keys.
 * @throws GatewayError not_found for a key of another account, or one that the viewer may not see
 */
export const requestedKeys = async (
  gateway: Pick<Gateway, 'db'>,
  viewer: Viewer,
  account_id: number | undefined,
  reference: string | undefined,
): Promise<readonly number[] | undefined> =>
  reference === undefined
    ? onlyKeysOf(viewer)
    : [(await requireKey(gateway, viewer, reference, account_id)).id]
