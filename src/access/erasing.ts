// Erased accounts: closed for good before a person's data is erased, and never opened or named again.
import type { Database } from 'bun:sqlite'
import { recordAction } from '../db/actions.ts'
import { pseudonymOf } from '../db/personal-data.ts'
import type { Account } from '../db/schema.ts'
import { immediately } from '../db/transaction.ts'
import { conflict } from '../domain/errors.ts'
import { formatUsd } from '../domain/money.ts'
import { accountByName, findAccount } from './accounts.ts'
import { closeAccount } from './closing.ts'
import { erasingQueries } from './queries.ts'

/**
 * Closes an account and marks it as erased, in one transaction: from then on no call of it begins, and nothing of it is
 * kept. An account that is marked already stays as it is, so that an erasure can be run again.
 *
 * @throws GatewayError not_found when there is no account of this name; conflict while it has a balance or calls under way,
 * and where another account has the name that it would get: nothing is changed then
 */
export function beginErasing(db: Database, name: string, now_ms: number): Account {
  const { find, insert } = erasingQueries(db)
  return immediately(db, () => {
    const account = accountByName(db, name)
    if (find.get({ account_id: account.id })) return account
    refuseUnsettled(db, account)
    const taken = findAccount(db, pseudonymOf(account.id))
    if (taken && taken.id !== account.id)
      throw conflict(
        `Another account has the name "${taken.name}", which ${name} would get. Rename it first: tollgate account rename ${taken.name} NEW-NAME`,
      )
    closeAccount(db, name, now_ms)
    insert.run({ account_id: account.id, erased_at_ms: now_ms })
    recordAction(db, { action: 'account.erased', account_id: account.id })
    return account
  })
}

function refuseUnsettled(db: Database, { id, name, balance_nanos }: Account): void {
  const { pending } = erasingQueries(db).pendingHolds.get({ account_id: id }) ?? { pending: 0 }
  if (pending > 0)
    throw conflict(
      `Calls of ${name} are under way: ${pending}. Run \`tollgate account close ${name}\`, then erase it when they have finished.`,
    )
  if (balance_nanos > 0)
    throw conflict(
      `${name} still has ${formatUsd(balance_nanos)} USD. Pay it back or declare it forfeited, then record that: tollgate debit ${name} ${formatUsd(balance_nanos)} --note 'paid back'`,
    )
}
