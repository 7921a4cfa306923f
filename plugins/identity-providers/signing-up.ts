// Signing up by a provider: an account of somebody new, where the operator lets strangers sign up, whose address the provider has checked.
import { personOfEmail } from '../../src/access/emails.ts'
import type { PersonIn } from '../../src/access/people.ts'
import type { Visitor } from '../../src/access/session-rows.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Tx } from '../../src/store/db.ts'
import {
  createSignedUp,
  currentTerms,
  isSignUpOpen,
  networkOf,
  proposeName,
  referralBy,
  requireTerms,
  signUpAllowed,
  type Terms,
} from '../sign-up/index.ts'
import { allowedEmail } from './entering.ts'
import { findIdentity } from './identities.ts'
import { isFor } from './settings.ts'
import type { Proved } from './signing-in.ts'

/** Makes the account of somebody new. In the transaction that opens their first session. */
type Newcomer = (tx: Tx) => Promise<PersonIn>

type Parts = Pick<Gateway, 'calls' | 'operations' | 'people' | 'db'>

/**
 * Somebody new who may have an account, looked at before the transaction that makes it, since that reads a list of domains and counts.
 *
 * @returns undefined for whoever is known here, and where strangers have no account
 * @throws GatewayError as `requireTerms` and `signUpAllowed`
 */
export async function newcomerOf(
  gateway: Parts,
  { identity, provider, flow }: Proved,
  { address, request_id }: Visitor,
): Promise<Newcomer | undefined> {
  const { db } = gateway
  const { catalogue, now } = gateway.calls
  const email = allowedEmail(identity, provider)
  if (email === undefined || provider.staff_role !== undefined || !isFor(provider, 'accounts'))
    return undefined
  if (!isSignUpOpen(catalogue()) || (await findIdentity(db, identity))) return undefined
  if (typeof (await personOfEmail(db, email))?.email_verified_at_ms === 'number') return undefined
  const terms = currentTerms(catalogue())
  const has_accepted = terms !== undefined && flow.terms === markOf(terms)
  requireTerms(terms, has_accepted ? terms : null)
  await signUpAllowed(gateway, { email, address })
  const name = await proposeName(db, email)
  const bindReferral = referralBy(gateway, flow.ref)
  const signing_up = { now_ms: now(), request_id, network: networkOf(address) }
  return (tx) => createSignedUp(tx, { email, name, terms, bindReferral }, signing_up)
}

/** Terms in few characters, for the cookie: which ones somebody had before them. */
export const markOf = ({ url, version }: Terms): string =>
  new Bun.CryptoHasher('sha256').update(JSON.stringify([url, version])).digest('base64url')

/** The terms that somebody accepts by going on to a provider; undefined where nobody signs up by one, or there are none. */
export function termsBefore(
  { calls }: Pick<Gateway, 'calls'>,
  lets_in_strangers: boolean,
): Terms | undefined {
  const catalogue = calls.catalogue()
  return lets_in_strangers && isSignUpOpen(catalogue) ? currentTerms(catalogue) : undefined
}
