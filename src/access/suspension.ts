// Suspension of an account: its reason, and the error that says what to do.
import { type GatewayError, permissionDenied } from '../domain/errors.ts'
import type { Db, Tx } from '../store/db.ts'
import { bareColumns, equals, placeholders, rawPlaceholders } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { type Account, account_suspensions, type SuspensionReason } from '../store/schema.ts'

export interface Suspension {
  reason: SuspensionReason
  /** The operator's message to the account's people; may be empty. */
  words: string
  /** Null if unknown, as for an imported account. */
  suspended_at_ms: number | null
}

/** Error code by which pages recognize a suspended account. */
export const ACCOUNT_SUSPENDED = 'account_suspended'

/** The suspension of an account; undefined for one that is active. */
export async function suspensionOf(
  db: Db,
  { id, status }: Pick<Account, 'id' | 'status'>,
): Promise<Suspension | undefined> {
  if (status !== 'suspended') return undefined
  const row = await suspensionQueries(db).ofAccount.get({ account_id: id })
  return row ?? { reason: 'operator', words: '', suspended_at_ms: null }
}

/** Saves the reason, in the transaction that has locked and suspends the account. */
export const saveSuspension = async (
  tx: Tx,
  account_id: number,
  { reason, words, suspended_at_ms }: Suspension,
): Promise<void> => {
  await suspensionQueries(tx).set.run({ account_id, reason, words, suspended_at_ms })
}

/** Deletes the reason, in the transaction that resumes or closes the account. */
export const deleteSuspension = async (tx: Tx, account_id: number): Promise<void> => {
  await suspensionQueries(tx).remove.run({ account_id })
}

const TO_DO: Record<SuspensionReason, string> = {
  operator: 'This account is suspended. Ask the operator of this gateway to resume it.',
  lost_dispute:
    'This account is suspended, since a bank took a payment back. Pay what the account owes at the console, then ask the operator of this gateway to resume it.',
}

/**
 * The error for requests of a suspended account. Does not contain the operator's message, since others than the account's people may use an API key.
 */
export const suspendedAccount = (reason: SuspensionReason = 'operator', code?: string): GatewayError =>
  permissionDenied(TO_DO[reason], code === undefined ? {} : { code })

const suspensionQueries = perConnection({
  ofAccount: (orm) =>
    orm
      .select({
        reason: account_suspensions.reason,
        words: account_suspensions.words,
        suspended_at_ms: account_suspensions.suspended_at_ms,
      })
      .from(account_suspensions)
      .where(equals(account_suspensions.account_id, 'account_id')),
  set: (orm) =>
    orm
      .insert(account_suspensions)
      .values(placeholders('account_id', 'reason', 'words', 'suspended_at_ms'))
      .onConflictDoUpdate({
        target: bareColumns('account_id'),
        set: rawPlaceholders('reason', 'words'),
      }),
  remove: (orm) =>
    orm.delete(account_suspensions).where(equals(account_suspensions.account_id, 'account_id')),
})
