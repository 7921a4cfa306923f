// Account details: display name, email, note, billing details, and whether limited keys see all calls of the account.
import type { Catalogue } from '../domain/catalogue.ts'
import { invalidRequest } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { Db } from '../store/db.ts'
import { bareColumns, equals, placeholders, rawPlaceholders } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { account_details, type Key } from '../store/schema.ts'
import { unseenIn } from '../utilities/visible-text.ts'
import { lockedAccount, refuseErased } from './accounts.ts'
import { isLimited } from './key-settings.ts'
import { belongsToMember } from './person-keys.ts'

export interface AccountDetails {
  /** In any script; empty if not set. */
  display_name: string
  email: string
  note: string
  /** The buyer on statements, in several lines: name, address, tax number. */
  billing_details: string
  /** Whether a limited key sees all calls of its account, and not only its own. */
  keys_see_account: boolean
}

export const NO_DETAILS: AccountDetails = Object.freeze({
  display_name: '',
  email: '',
  note: '',
  billing_details: '',
  keys_see_account: false,
})

const MAX_DISPLAY_NAME_CHARS = 100
const MAX_EMAIL_CHARS = 254
const MAX_ACCOUNT_NOTE_CHARS = 1_000

const detailQueries = perConnection({
  find: (orm) =>
    orm
      .select({
        display_name: account_details.display_name,
        email: account_details.email,
        note: account_details.note,
        billing_details: account_details.billing_details,
        keys_see_account: account_details.keys_see_account,
      })
      .from(account_details)
      .where(equals(account_details.account_id, 'account_id')),
  store: (orm) =>
    orm
      .insert(account_details)
      .values(
        placeholders('account_id', 'display_name', 'email', 'note', 'billing_details', 'keys_see_account'),
      )
      .onConflictDoUpdate({
        target: bareColumns('account_id'),
        set: rawPlaceholders('display_name', 'email', 'note', 'billing_details', 'keys_see_account'),
      }),
})

export async function detailsOf(db: Db, account_id: number): Promise<AccountDetails> {
  const row = await detailQueries(db).find.get({ account_id })
  return row ? { ...row, keys_see_account: row.keys_see_account === 1 } : NO_DETAILS
}

/**
 * Changes the given details; an empty text removes a detail.
 *
 * @throws GatewayError not_found without the account; conflict if it is erased; invalid_request for a malformed detail
 */
export function changeDetails(
  db: Db,
  name: string,
  changes: Partial<AccountDetails>,
): Promise<AccountDetails> {
  return db.begin(async (tx) => {
    const account = await lockedAccount(tx, name)
    await refuseErased(tx, account)
    const before = await detailsOf(tx, account.id)
    const after = checkedDetails({ ...before, ...changes })
    const names = (Object.keys(after) as (keyof AccountDetails)[]).filter(
      (name) => before[name] !== after[name],
    )
    if (names.length === 0) return after
    await detailQueries(tx).store.run({
      ...after,
      account_id: account.id,
      keys_see_account: Number(after.keys_see_account),
    })
    const only = (details: AccountDetails) => Object.fromEntries(names.map((name) => [name, details[name]]))
    await recordAction(tx, {
      action: 'account.changed',
      account_id: account.id,
      before: only(before),
      after: only(after),
    })
    return after
  })
}

/** Normalizes and validates details for storage. @throws GatewayError invalid_request for a malformed one */
export function checkedDetails(details: AccountDetails): AccountDetails {
  const stored = normalizeDetails(details)
  checkDetails(stored)
  return stored
}

/** Unicode NFC, so that a search finds a name that was typed on another machine. */
const normalizeDetails = ({
  display_name,
  email,
  note,
  billing_details,
  ...rest
}: AccountDetails): AccountDetails => ({
  ...rest,
  display_name: display_name.trim().normalize('NFC'),
  email: email.trim(),
  note: note.trim(),
  billing_details: billing_details.trim().replaceAll('\r\n', '\n'),
})

const EMAIL = /^[^\s@]+@[^\s@]+$/

function checkDetails({ display_name, email, note, billing_details }: AccountDetails): void {
  checkText('display_name', display_name, MAX_DISPLAY_NAME_CHARS)
  checkText('email', email, MAX_EMAIL_CHARS)
  if (email !== '' && !EMAIL.test(email))
    throw invalidRequest(`email: "${email}" is not an email address. Write one such as anna@example.com.`, {
      param: 'email',
    })
  checkText('note', note.replaceAll('\n', ' '), MAX_ACCOUNT_NOTE_CHARS)
  checkText('billing_details', billing_details.replaceAll('\n', ' '), MAX_ACCOUNT_NOTE_CHARS)
}

function checkText(param: string, text: string, max_chars: number): void {
  if ([...text].length > max_chars)
    throw invalidRequest(`${param}: must have at most ${max_chars} characters.`, { param })
  const unseen = unseenIn(text)
  if (unseen !== undefined)
    throw invalidRequest(`${param}: contains the control character ${unseen}. Remove it.`, { param })
}

/** Whether a key sees all calls of its account in the console and the API: a limited key only if the account allows it, a member's key never. */
export async function seesAccount(db: Db, key: Key & { has_budgets: number }): Promise<boolean> {
  if (await belongsToMember(db, key)) return false
  if (!isLimited(key)) return true
  const { keys_see_account } = await detailsOf(db, key.account_id)
  return keys_see_account
}

/** The seller and the buyer, each in one line or several. */
export interface Parties {
  /** `[billing] seller`; empty if it is not set. */
  seller: string
  /** Billing details of the account, or else its display name or name. */
  buyer: string
}

/** @param catalogue undefined if it cannot be read */
export async function partiesOf(
  db: Db,
  account: { id: number; name: string },
  catalogue: Pick<Catalogue, 'billing'> | undefined,
): Promise<Parties> {
  const { billing_details, display_name } = await detailsOf(db, account.id)
  return {
    seller: catalogue?.billing.seller ?? '',
    buyer: billing_details || display_name || account.name,
  }
}
