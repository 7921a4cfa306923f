// The account of somebody who signed up: made with its owner, whose address is shown to be theirs, and with no money.
import { changeDetails } from '../../src/access/account-details.ts'
import { createAccount } from '../../src/access/accounts.ts'
import { claimEmail, personOfEmail } from '../../src/access/emails.ts'
import { setPassword } from '../../src/access/passwords.ts'
import { enteringAs, type PersonIn, requireOwners } from '../../src/access/people.ts'
import type { ActionContext } from '../../src/domain/actions.ts'
import { conflict } from '../../src/domain/errors.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import { requireFreeName } from './names.ts'
import { recordByIdentity } from './sign-ups.ts'
import { recordTerms, type Terms } from './terms.ts'

/** Somebody who has shown that an address is theirs. */
export interface NewHolder {
  /** As `personsAddress` has it; shown to be theirs. */
  email: string
  /** The name of their account. */
  name: string
  /** Of their password; absent: they sign in by an identity. */
  password_hash?: string | undefined
  /** The terms that they accepted; undefined where the operator has none. */
  terms: Terms | undefined
  /** Binds the account to whose link they came by. */
  bindReferral?: ((tx: Tx, account_id: number, email: string) => Promise<void>) | undefined
}

/** The request by which somebody signs up. */
interface SigningUp {
  now_ms: number
  request_id: string
  /** Of `networkOf`. */
  network?: string | undefined
}

/**
 * Makes the account, its owner and the acceptance of terms, in the caller's transaction, and records who signed up. For a provider of identities:
 * check `signUpAllowed` first, and that the provider says that the address is verified.
 *
 * @returns where they come in, for `sessions.withProof`
 * @throws GatewayError invalid_request for a name that is malformed, reserved or taken; conflict for an address of a person who has shown that it is theirs
 */
export async function createSignedUp(tx: Tx, holder: NewHolder, signing_up: SigningUp): Promise<PersonIn> {
  const entering = await makeAccount(tx, holder, { ...signing_up, proof: 'identity' })
  const { email } = holder
  const { account_id } = entering
  if (account_id !== null) await recordByIdentity(tx, { email, account_id, ...pick(signing_up) })
  return entering
}

const pick = ({ network, now_ms }: SigningUp) => ({ network, now_ms })

/** The same without the row of a sign-up, which a pending one has already. */
export async function makeAccount(
  tx: Tx,
  { email, name, password_hash, terms, bindReferral }: NewHolder,
  { now_ms, request_id, proof }: SigningUp & { proof: 'mail' | 'identity' },
): Promise<PersonIn> {
  // Names and addresses, against others who take them meanwhile.
  await tx.lock(null)
  const holder = await personOfEmail(tx, email)
  if (holder && holder.email_verified_at_ms !== null) throw hasAccount()
  await requireFreeName(tx, name)
  const account = await createAccount(tx, { name, now_ms })
  await tx.lock(account.id)
  const owners = await requireOwners(tx, [{ account_id: account.id, name }], now_ms)
  const person_id = owners.get(account.id)
  const entering = person_id === undefined ? undefined : await enteringAs(tx, person_id)
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
