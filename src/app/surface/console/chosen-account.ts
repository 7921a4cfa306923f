// The account of a request: the viewer's own, or the one that the operator names.
import { Type } from '@sinclair/typebox'
import { accountQueries } from '../../../access/queries.ts'
import type { Viewer } from '../../../access/viewer.ts'
import { invalidRequest } from '../../../domain/errors.ts'
import type { Db } from '../../../store/db.ts'
import type { Account } from '../../../store/schema.ts'
import { AccountRef } from './fields.ts'
import { payingAccount } from './references.ts'

/** For the operator: the number or the name of an account. All others see their own without it. */
export const ACCOUNT_PARAMETER = { account: Type.Optional(AccountRef) }

/**
 * The account as it is at this moment; undefined if the operator names none.
 *
 * @throws GatewayError as `payingAccount`
 */
export async function chosenAccount(
  db: Db,
  viewer: Viewer,
  reference: string | undefined,
): Promise<Account | undefined> {
  const id = await payingAccount({ db }, viewer, reference)
  return id === undefined ? undefined : await accountQueries(db).accountById.get({ id })
}

/**
 * The same for a request that needs an account.
 *
 * @throws GatewayError as `chosenAccount`; invalid_request if the operator names none
 */
export async function requireChosenAccount(
  db: Db,
  viewer: Viewer,
  reference: string | undefined,
): Promise<Account> {
  const account = await chosenAccount(db, viewer, reference)
  if (account) return account
  throw invalidRequest('account: choose the account that this is about.', { param: 'account' })
}
