// Sign-up by a provider: an account for a new person whose address the provider has verified, if sign-up is open.
import { personOfEmail } from '../../src/access/emails.ts'
import type { Entrance } from '../../src/access/people.ts'
import type { Visitor } from '../../src/access/session-rows.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Tx } from '../../src/store/db.ts'
import {
  checkSignUp,
  createByIdentity,
  currentTerms,
  isSignUpOpen,
  networkOf,
  proposeName,
  referralBinder,
  requireTerms,
  type Terms,
} from '../sign-up/index.ts'
import { findIdentity } from './identities.ts'
import { allowedEmail } from './person-of-identity.ts'
import { isFor } from './settings.ts'
import type { ProvedSignIn } from './signing-in.ts'

/** Creates the account of a new person, in the transaction that opens their first session. */
type CreateAccount = (tx: Tx) => Promise<Entrance>

type Parts = Pick<Gateway, 'calls' | 'operations' | 'people' | 'db'>

/**
 * Checks whether a new person may have an account, before the transaction that creates it, since the check reads a list of domains and counts.
 *
 * @returns the function that creates the account; undefined if the person is known here, or visitors cannot sign up by this provider
 * @throws GatewayError as `requireTerms` and `checkSignUp`
 */
export async function accountCreator(
  gateway: Parts,
  { identity, provider, flow }: ProvedSignIn,
  { address, request_id }: Visitor,
): Promise<CreateAccount | undefined> {
  const { db } = gateway
  const { catalogue, now } = gateway.calls
  const email = allowedEmail(identity, provider)
  if (email === undefined || provider.staff_role !== undefined || !isFor(provider, 'accounts'))
    return undefined
  if (!isSignUpOpen(catalogue()) || (await findIdentity(db, identity))) return undefined
  if (typeof (await personOfEmail(db, email))?.email_verified_at_ms === 'number') return undefined
  const terms = currentTerms(catalogue())
  const has_accepted = terms !== undefined && flow.terms === termsFingerprint(terms)
  requireTerms(terms, has_accepted ? terms : null)
  await checkSignUp(gateway, { email, address })
  const name = await proposeName(db, email)
  const bindReferral = referralBinder(gateway, flow.ref)
  const context = { now_ms: now(), request_id, network: networkOf(address) }
  return (tx) => createByIdentity(tx, { email, name, terms, bindReferral }, context)
}

/** A short fingerprint of terms for the cookie, which tells the versions apart. */
export const termsFingerprint = ({ url, version }: Terms): string =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify([url, version])).digest('base64url')

/** The terms that a new person accepts by continuing; undefined if nobody can sign up by a provider, or there are no terms. */
export function termsToAccept({ calls }: Pick<Gateway, 'calls'>, can_sign_up: boolean): Terms | undefined {
  const catalogue = calls.catalogue()
  return can_sign_up && isSignUpOpen(catalogue) ? currentTerms(catalogue) : undefined
}
