// Whose things a request is about: a viewer's own account, or the one that the operator names.
import { Type } from '@sinclair/typebox'
import { accountQueries } from '../../access/queries.ts'
import type { Viewer } from '../../access/viewer.ts'
import type { Db } from '../../db/db.ts'
import type { Account } from '../../db/schema.ts'
import { invalidRequest } from '../../domain/errors.ts'
import { AccountRef } from './fields.ts'
import { payingAccount } from './references.ts'

/** For the operator: the number or the name of an account. All others see their own without it. */
export const WHOSE = { account: Type.Optional(AccountRef) }

/**
 * The account that a request is about, as it is at this moment; undefined if the operator names none.
 *
 * @throws GatewayError as `payingAccount`
 */
export async function accountFor(
  db: Db,
  viewer: Viewer,
  name: string | undefined,
): Promise<Account | undefined> {
  const id = await payingAccount({ db }, viewer, name)
  return id === undefined ? undefined : await accountQueries(db).accountById.get({ id })
}

/**
 * The same where there must be one.
 *
 * @throws GatewayError as `accountFor`; invalid_request if the operator names none
 */
export async function accountNeeded(db: Db, viewer: Viewer, name: string | undefined): Promise<Account> {
  const account = await accountFor(db, viewer, name)
  if (account) return account
  throw invalidRequest('account: choose the account that this is about.', { param: 'account' })
}
