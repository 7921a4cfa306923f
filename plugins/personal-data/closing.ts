// The start of an erasure: the account is closed permanently and marked as erased, so that it is never resumed or renamed.
import { findAccount, lockedAccount, pseudonymOf } from '../../src/access/accounts.ts'
import { closeAccount } from '../../src/access/closing.ts'
import { erasingQueries } from '../../src/access/queries.ts'
import { conflict } from '../../src/domain/errors.ts'
import { formatUsd } from '../../src/domain/money.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Db } from '../../src/store/db.ts'
import type { Account } from '../../src/store/schema.ts'

/**
 * Closes an account and marks it as erased, in one transaction: from then on it can make no calls, and nothing new is stored for it. A marked account
 * stays unchanged, so that an erasure can be repeated.
 *
 * @throws GatewayError not_found for an unknown account; conflict while it has a balance or pending calls, and if another account has its future
 * pseudonym: then nothing is changed
 */
export function startErasing(db: Db, name: string, now_ms: number): Promise<Account> {
  return db.begin(async (tx) => {
    const { find, insert, moveOthers } = erasingQueries(tx)
    const account = await lockedAccount(tx, name)
    if (await find.get({ account_id: account.id })) return account
    await refuseUnsettled(tx, account)
    const taken = await findAccount(tx, pseudonymOf(account.id))
    if (taken && taken.id !== account.id)
      throw conflict(
        `Another account has the name "${taken.name}", which ${name} would get. Rename it first: tollgate account rename ${taken.name} NEW-NAME`,
      )
    await closeAccount(tx, name, now_ms)
    await insert.run({ account_id: account.id, erased_at_ms: now_ms })
    await moveOthers.run({ account_id: account.id })
    for (const statement of DELETES_ELSEWHERE) await tx.rows(statement, { account_id: account.id })
    await recordAction(tx, { action: 'account.erased', account_id: account.id })
    return account
  })
}

const OWN_PEOPLE = '(SELECT id FROM people WHERE account_id = $account_id)'

/** Rows of the account's people in other accounts: invalid sessions, and memberships in accounts whose erasure has not finished. */
const DELETES_ELSEWHERE = [
  `DELETE FROM sessions WHERE person_id IN ${OWN_PEOPLE} AND account_id IS DISTINCT FROM $account_id`,
  `DELETE FROM memberships WHERE person_id IN ${OWN_PEOPLE} AND account_id <> $account_id`,
]

async function refuseUnsettled(tx: Db, { id, name, balance_nanos }: Account): Promise<void> {
  const { pending } = (await erasingQueries(tx).pendingHolds.get({ account_id: id })) ?? { pending: 0 }
  if (pending > 0)
    throw conflict(
      `Calls of ${name} are running: ${pending}. Run \`tollgate account close ${name}\`, then erase it when they have finished.`,
    )
  if (balance_nanos > 0)
    throw conflict(
      `${name} still has ${formatUsd(balance_nanos)} USD. Pay it back or declare it forfeited, then record that: tollgate debit ${name} ${formatUsd(balance_nanos)} --note 'paid back'`,
    )
}
