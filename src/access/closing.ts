// Closing and reopening of accounts. A closed account is suspended with all keys revoked; its money and records stay.
import { conflict } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { Db, Tx } from '../store/db.ts'
import type { Account } from '../store/schema.ts'
import { lockedAccount, refuseErased, setStatus } from './accounts.ts'
import { closingQueries } from './queries.ts'
import {
  identityQueries,
  linkQueries,
  passkeyQueries,
  passwordQueries,
  sessionQueries,
} from './session-queries.ts'
import { deleteSuspension } from './suspension.ts'
import { invitationQueries } from './team-queries.ts'

/**
 * Closes an account: refuses its calls, revokes its keys and ends its sessions; running calls are finished and charged.
 * Closing twice changes nothing. After a reopening, the people need a new invitation to sign in.
 *
 * @returns the number of revoked keys
 * @throws GatewayError not_found
 */
export function closeAccount(db: Db, name: string, now_ms: number): Promise<number> {
  return db.begin(async (tx) => {
    const { id: account_id, status } = await lockedWithStatus(tx, name)
    await setStatus(tx, name, 'suspended')
    await deleteSuspension(tx, account_id)
    const { insert, revokeKeys } = closingQueries(tx)
    await insert.run({ account_id, closed_at_ms: now_ms })
    await sessionQueries(tx).removeOfAccount.run({ account_id })
    await passwordQueries(tx).removeOfAccount.run({ account_id })
    await identityQueries(tx).removeOfAccount.run({ account_id })
    await passkeyQueries(tx).removeOfAccount.run({ account_id })
    await linkQueries(tx).removeOfAccount.run({ account_id })
    await invitationQueries(tx).removeOfAccount.run({ account_id })
    const revoked = await revokeKeys.all({ account_id, now_ms })
    const revoked_keys = revoked.length
    if (status !== 'closed')
      await recordAction(tx, {
        action: 'account.closed',
        account_id,
        before: { status },
        after: { status: 'closed', revoked_keys },
      })
    return revoked_keys
  })
}

/**
 * Activates a suspended or closed account. The keys of a closed account stay revoked.
 *
 * @returns the account, and whether it was closed
 * @throws GatewayError not_found; conflict if it is erased
 */
export const reopenAccount = (db: Db, name: string): Promise<{ account: Account; was_closed: boolean }> =>
  db.begin(async (tx) => {
    const closed = await lockedWithStatus(tx, name)
    const { id: account_id, status } = closed
    await refuseErased(tx, closed)
    const account = await setStatus(tx, name, 'active')
    await deleteSuspension(tx, account_id)
    if (status !== 'active')
      await recordAction(tx, {
        action: 'account.resumed',
        account_id,
        before: { status },
        after: { status: 'active' },
      })
    const opened = await closingQueries(tx).remove.all({ account_id })
    return { account, was_closed: opened.length > 0 }
  })

/** An account with its status for the operator. The row of a closed account has the status `suspended`. */
export type AccountWithStatus = Omit<Account, 'status'> & { status: Account['status'] | 'closed' }

const lockedWithStatus = async (tx: Tx, name: string): Promise<AccountWithStatus> =>
  withStatus(tx, await lockedAccount(tx, name))

const withStatus = async (db: Db, account: Account): Promise<AccountWithStatus> =>
  (await isClosed(db, account)) ? { ...account, status: 'closed' } : account

/** @throws GatewayError conflict if an account is closed */
export async function refuseClosed(db: Db, account: Account): Promise<void> {
  if (await isClosed(db, account))
    throw conflict(
      `The account "${account.name}" is closed. \`tollgate account resume ${account.name}\` opens it again.`,
    )
}

const isClosed = async (db: Db, { id }: Account): Promise<boolean> =>
  (await closingQueries(db).find.get({ account_id: id })) !== undefined
