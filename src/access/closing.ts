// Closed accounts: suspended, with all keys revoked, while their money and books stay; and opened again.
import type { Database } from 'bun:sqlite'
import { recordAction } from '../db/actions.ts'
import type { Account } from '../db/schema.ts'
import { immediately } from '../db/transaction.ts'
import { conflict } from '../domain/errors.ts'
import { accountByName, listAccounts, refuseErased, setStatus } from './accounts.ts'
import { closingQueries } from './queries.ts'
import { linkQueries, passwordQueries, sessionQueries } from './session-queries.ts'

/**
 * Refuses an account's calls for good, revokes all of its keys, and signs it out; running calls are finished and charged.
 * Closing twice changes nothing. Once it is opened again, it needs a new invitation to sign in.
 *
 * @returns how many keys were revoked by it
 * @throws GatewayError not_found when there is no account of this name
 */
export function closeAccount(db: Database, name: string, now_ms: number): number {
  const { insert, revokeKeys } = closingQueries(db)
  return immediately(db, () => {
    const { id: account_id, status } = shownAccount(db, name)
    setStatus(db, name, 'suspended')
    insert.run({ account_id, closed_at_ms: now_ms })
    sessionQueries(db).removeOfAccount.all({ account_id, id: 0 })
    passwordQueries(db).remove.run({ account_id })
    linkQueries(db).removeOfAccount.run({ account_id })
    const revoked_keys = revokeKeys.all({ account_id, now_ms }).length
    if (status !== 'closed')
      recordAction(db, {
        action: 'account.closed',
        account_id,
        before: { status },
        after: { status: 'closed', revoked_keys },
      })
    return revoked_keys
  })
}

/**
 * Lets a suspended or closed account call again. The keys of a closed one stay revoked.
 *
 * @returns the account, and whether it was closed
 * @throws GatewayError not_found when there is no account of this name; conflict if it is erased
 */
export const reopenAccount = (db: Database, name: string): { account: Account; was_closed: boolean } =>
  immediately(db, () => {
    const { id: account_id, status } = shownAccount(db, name)
    refuseErased(db, accountByName(db, name))
    const account = setStatus(db, name, 'active')
    if (status !== 'active')
      recordAction(db, {
        action: 'account.resumed',
        account_id,
        before: { status },
        after: { status: 'active' },
      })
    return { account, was_closed: closingQueries(db).remove.all({ account_id }).length > 0 }
  })

/** An account as the operator sees it: one that is closed is no longer only suspended. */
export type ShownAccount = Omit<Account, 'status'> & { status: Account['status'] | 'closed' }

/** All accounts, the oldest first. */
export function shownAccounts(db: Database): ShownAccount[] {
  const closed = closingQueries(db).all.all()
  const ids = new Set(closed.map(({ account_id }) => account_id))
  return listAccounts(db).map((account) => (ids.has(account.id) ? { ...account, status: 'closed' } : account))
}

/** @throws GatewayError not_found when there is no account of this name */
export function shownAccount(db: Database, name: string): ShownAccount {
  const account = accountByName(db, name)
  return isClosed(db, account) ? { ...account, status: 'closed' } : account
}

/** @throws GatewayError conflict if an account is closed */
export function refuseClosed(db: Database, account: Account): void {
  if (isClosed(db, account))
    throw conflict(
      `The account "${account.name}" is closed. \`tollgate account resume ${account.name}\` opens it again.`,
    )
}

const isClosed = (db: Database, { id }: Account): boolean =>
  closingQueries(db).find.get({ account_id: id }) !== undefined
