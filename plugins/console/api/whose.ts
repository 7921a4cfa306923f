// Whose things a request is about: a viewer's own account, or the one that the operator names.
import type { Database } from 'bun:sqlite'
import { Type } from '@sinclair/typebox'
import { accountQueries } from '../../../src/access/queries.ts'
import { accountOf, type Viewer } from '../../../src/access/viewer.ts'
import type { Account } from '../../../src/db/schema.ts'
import { invalidRequest, notFound } from '../../../src/domain/errors.ts'
import { requireAccount } from './asked.ts'

/** For the operator: the name or the number of an account. All others see their own without it. */
export const WHOSE = {
  account: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, must: 'the name or the number of an account' }),
  ),
}

const accountById = (db: Database, id: number): Account | undefined =>
  accountQueries(db).accountById.get({ id })

/**
 * The account that a request is about, as it is at this moment; undefined if the operator names none.
 *
 * @throws GatewayError not_found for an unknown account, and for every one but a viewer's own
 */
export function accountAsked(db: Database, viewer: Viewer, name: string | undefined): Account | undefined {
  const own_id = accountOf(viewer)
  if (own_id === undefined)
    return name === undefined ? undefined : accountById(db, requireAccount({ db }, name).id)
  const own = accountById(db, own_id)
  if (own && (name === undefined || name === own.name)) return own
  throw notFound('Account not found.', { param: 'account' })
}

/**
 * The same where there must be one.
 *
 * @throws GatewayError as `accountAsked`; invalid_request if the operator names none
 */
export function accountNeeded(db: Database, viewer: Viewer, name: string | undefined): Account {
  const account = accountAsked(db, viewer, name)
  if (account) return account
  throw invalidRequest('account: choose the account that this is about.', { param: 'account' })
}
