// The account of a person who signed up: created with its owner, whose address is verified, and with an empty balance.
import { changeDetails } from '../../src/access/account-details.ts'
import { createAccount } from '../../src/access/accounts.ts'
import { claimEmail, personOfEmail } from '../../src/access/emails.ts'
import { setPassword } from '../../src/access/passwords.ts'
import { type Entrance, entranceOf, requireOwners } from '../../src/access/people.ts'
import type { ActionContext } from '../../src/domain/actions.ts'
import { conflict } from '../../src/domain/errors.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import { requireFreeName } from './names.ts'
import { recordByIdentity } from './sign-ups.ts'
import { recordTerms, type Terms } from './terms.ts'

/** The new owner of an account; they have proven that the address is theirs. */
export interface NewOwner {
  /** Normalized by `personsAddress`, and verified. */
  email: string
  /** The name of their account. */
  name: string
  /** The hash of their password; absent if they sign in by an identity. */
  password_hash?: string | undefined
  /** The terms that they accepted; undefined where the operator has none. */
  terms: Terms | undefined
  /** Binds the account to the referral link through which the person came. */
  bindReferral?: ((tx: Tx, account_id: number, email: string) => Promise<void>) | undefined
}

/** The request that finishes a sign-up. */
interface SignUpContext {
  now_ms: number
  request_id: string
  /** The visitor's network, from `networkOf`. */
  network?: string | undefined
}

/**
 * Creates the account and its owner, and records the accepted terms and the sign-up, in the caller's transaction. For identity providers: the caller
 * first checks `checkSignUp`, and that the provider says that the address is verified.
 *
 * @returns the person in the new account, for `sessions.withProof`
 * @throws GatewayError invalid_request for a malformed, reserved or taken name; conflict if another person has verified the address
 */
export async function createByIdentity(tx: Tx, owner: NewOwner, context: SignUpContext): Promise<Entrance> {
  const entering = await makeAccount(tx, owner, { ...context, proof: 'identity' })
  const { email } = owner
  const { network, now_ms } = context
  const { account_id } = entering
  if (account_id !== null) await recordByIdentity(tx, { email, account_id, network, now_ms })
  return entering
}

/** Creates the account without a row in `sign_ups`: a sign-up by mail has a pending row already. */
export async function makeAccount(
  tx: Tx,
  { email, name, password_hash, terms, bindReferral }: NewOwner,
  { now_ms, request_id, proof }: SignUpContext & { proof: 'mail' | 'identity' },
): Promise<Entrance> {
  // Serializes with other transactions that take names and addresses.
  await tx.lock(null)
  const holder = await personOfEmail(tx, email)
  if (holder && holder.email_verified_at_ms !== null) throw hasAccount()
  await requireFreeName(tx, name)
  const account = await createAccount(tx, { name, now_ms })
  await tx.lock(account.id)
  const owners = await requireOwners(tx, [{ account_id: account.id, name }], now_ms)
  const person_id = owners.get(account.id)
  const entering = person_id === undefined ? undefined : await entranceOf(tx, person_id)
  if (!entering || person_id === undefined) throw new Error(`account ${account.id} has no owner`)
  await claimEmail(tx, { person_id, email, now_ms })
  await changeDetails(tx, name, { email })
  if (password_hash !== undefined) await setPassword(tx, { person_id, hash: password_hash, now_ms })
  const by: ActionContext = { actor: { kind: 'system' }, now_ms, request_id }
  await recordAction(tx, { action: 'account.signed_up', account_id: account.id, after: { name, proof } }, by)
  if (terms) await recordTerms(tx, { account_id: account.id, person_id, terms }, by)
  await bindReferral?.(tx, account.id, email)
  return entering
}

const hasAccount = () =>
  conflict('You have an account already. Sign in with this email address.', {
    code: 'has_account',
    param: 'email',
  })
