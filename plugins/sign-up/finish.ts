// The end of a sign-up: the holder of the mailed link chooses a name and a password, and is signed in to a new account.
import { checkPassword } from '../../src/access/passwords.ts'
import type { SignedIn, Visitor } from '../../src/access/session-rows.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import type { Tx } from '../../src/store/db.ts'
import { makeAccount, type NewOwner } from './account.ts'
import { useCode } from './codes.ts'
import { checkChosenName, proposeName } from './names.ts'
import { closed } from './policy.ts'
import { modeOf } from './settings.ts'
import { pendingByToken, setCompleted } from './sign-ups.ts'
import type { SignUpRow } from './tables.ts'
import { currentTerms, requireTerms, type Terms } from './terms.ts'

type Parts = Pick<Gateway, 'calls' | 'people' | 'db'>

/** Returns the sign-up of a link, with a free name as a proposal. @throws GatewayError not_found; rate_limited; permission_denied */
export async function findSignUp({ calls, people, db }: Parts, token: string, visitor: Visitor) {
  const row = await people.sessions.found(visitor, () => pendingByToken(db, token, calls.now()))
  requireStillAllowed(calls.catalogue(), row)
  const { email, expires_at_ms } = row
  return {
    email,
    expires_at_ms,
    name: await proposeName(db, email),
    terms: currentTerms(calls.catalogue()) ?? null,
  }
}

interface Finish {
  token: string
  name: string
  password: string
  /** The terms that the page showed; null if the person accepted none. */
  terms: Terms | null
  /** The code of the referral link through which the person came. */
  ref?: string | undefined
}

/**
 * Creates the account and opens a session. The same transaction uses up the link, so that of two requests at once only one succeeds.
 *
 * @throws GatewayError not_found for a link that does not work; invalid_request for a name, a password or missing terms; conflict if another person
 * has verified the address or the terms have changed meanwhile; permission_denied once sign-up is closed; rate_limited; overloaded
 */
export async function finishSignUp(gateway: Parts, finish: Finish, visitor: Visitor): Promise<SignedIn> {
  const { calls, people, db } = gateway
  const { token, name, password, ref } = finish
  // Cheap checks come first; the password is hashed last.
  const found = await people.sessions.found(visitor, () => pendingByToken(db, token, calls.now()))
  requireStillAllowed(calls.catalogue(), found)
  checkChosenName(name)
  checkPassword(password, 'password')
  const terms = currentTerms(calls.catalogue())
  requireTerms(terms, finish.terms)
  const password_hash = await people.passwords.hash(password)
  return await people.sessions.withProof(
    'link',
    async (tx) =>
      await completeSignUp(
        tx,
        gateway,
        { token, name, password_hash, terms, bindReferral: referralBinder(gateway, ref) },
        visitor,
      ),
    visitor,
  )
}

/** @param ref the code of a referral link, if any */
export const referralBinder = (
  { people, calls }: Pick<Parts, 'people' | 'calls'>,
  ref: string | undefined,
): NewOwner['bindReferral'] =>
  ref === undefined
    ? undefined
    : async (tx, account_id, email) =>
        await people.referrals?.bind(tx, { code: ref, account_id, email }, calls.now())

async function completeSignUp(
  tx: Tx,
  { calls }: Parts,
  { token, ...holder }: Omit<NewOwner, 'email'> & { token: string },
  { request_id }: Visitor,
) {
  const now_ms = calls.now()
  await tx.lock(null)
  const { id, email, code_id } = await pendingByToken(tx, token, now_ms)
  const by = { now_ms, request_id, proof: 'mail' } as const
  const entering = await makeAccount(tx, { ...holder, email }, by)
  if (entering.account_id === null) throw new Error('a new owner has no account')
  await setCompleted(tx, { id, account_id: entering.account_id, now_ms })
  if (code_id !== null) await useCode(tx, code_id)
  return entering
}

/** The operator may have closed sign-up after the mail was sent. */
function requireStillAllowed(catalogue: Catalogue, { code_id }: Pick<SignUpRow, 'code_id'>): void {
  const mode = modeOf(catalogue)
  if (mode === 'closed' || (mode === 'invitation' && code_id === null)) throw closed()
}
