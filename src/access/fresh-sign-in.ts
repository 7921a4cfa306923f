// Fresh sign-ins: sensitive changes require a proof of identity that is at most a few minutes old.
import { permissionDenied } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { Tx } from '../store/db.ts'
import type { Proof, SessionRow } from '../store/schema.ts'
import { hashOf, upgradeHash } from './passwords.ts'
import { lockPerson } from './people.ts'
import { hashKey } from './secret.ts'
import { sessionQueries } from './session-queries.ts'
import {
  newSessionToken,
  type SessionParts,
  type SignedIn,
  sessionRequired,
  type Visitor,
  viewerOf,
} from './session-rows.ts'
import { isKnownAddress } from './sign-in-rate.ts'
import { actionContextOf, ownerOf, type PersonViewer, requirePerson, type Viewer } from './viewer.ts'

const FRESH_FOR_MS = 10 * 60_000

/** Error code on which pages ask for a proof and then repeat the request. */
const CONFIRM_SIGN_IN = 'confirm_sign_in'

/**
 * Refuses a sensitive change in a session without a recent proof, since another person may be at the computer.
 *
 * @throws GatewayError permission_denied confirm_sign_in; permission_denied in a session by key
 */
export function requireFresh(viewer: Viewer, now_ms: number): asserts viewer is PersonViewer {
  requirePerson(viewer)
  const { confirmed_at_ms } = viewer
  if (typeof confirmed_at_ms === 'number' && confirmed_at_ms > now_ms - FRESH_FOR_MS) return
  throw permissionDenied(
    'Confirm that it is you: this needs a sign-in of the last 10 minutes. Confirm it, or sign in again.',
    { code: CONFIRM_SIGN_IN },
  )
}

/**
 * Makes a session fresh by a new proof. The session gets a new token, so that a stolen old token does not benefit.
 *
 * @param decide verifies and consumes the proof in the same transaction, and returns its person
 * @throws GatewayError permission_denied for a proof of another person, and in a session by key; unauthenticated if the session has ended;
 * errors of `decide`
 */
export async function confirmSignIn(
  parts: SessionParts,
  viewer: Viewer,
  { proof, decide }: { proof: Proof; decide: (tx: Tx) => Promise<{ id: number }> },
  visitor: Visitor,
): Promise<SignedIn> {
  requirePerson(viewer)
  const { db, settings, randomBytes, now } = parts
  const token = newSessionToken(randomBytes)
  const { person_id, session_id } = viewer
  return await db.begin(
    async (tx) => {
      await lockPerson(tx, person_id)
      if ((await decide(tx)).id !== person_id) throw wrongPerson()
      const now_ms = now()
      const row: SessionRow | undefined = await sessionQueries(tx).confirm.get({
        id: session_id,
        sha256: hashKey(token),
        confirmed_at_ms: now_ms,
      })
      if (!row) throw sessionRequired()
      await recordAction(tx, { action: 'session.confirmed', ...ownerOf(viewer), after: { by: proof } })
      const confirmed = await viewerOf(tx, row, { now_ms, address: visitor.address })
      return { viewer: confirmed, token, lasts_s: settings().session_hours * 3_600 }
    },
    { by: actionContextOf(viewer, visitor, now()) },
  )
}

/** Makes a session fresh by the person's password. @throws GatewayError permission_denied for a wrong password; rate_limited; as `confirmSignIn` */
export async function confirmWithPassword(
  parts: SessionParts,
  viewer: Viewer,
  password: string,
  visitor: Visitor,
): Promise<SignedIn> {
  requirePerson(viewer)
  const { db, passwords, rate, now } = parts
  const { person_id } = viewer
  const is_known = await isKnownAddress(db, { person_id, address: visitor.address, now_ms: now() })
  const hash = await hashOf(db, person_id)
  const succeeded = rate.attempt({ address: visitor.address, name: `person ${person_id}`, is_known })
  if (!(await passwords.verify(password, hash, { is_known }))) throw wrongPassword()
  succeeded()
  const current = await upgradeHash(db, passwords, { person_id, password, hash, now_ms: now() })
  return await confirmSignIn(
    parts,
    viewer,
    {
      proof: 'password',
      async decide(tx) {
        // The password may have been changed during the check.
        if (current === undefined || (await hashOf(tx, person_id)) !== current) throw wrongPassword()
        return { id: person_id }
      },
    },
    visitor,
  )
}

const wrongPassword = () =>
  permissionDenied('The password is wrong.', { code: 'wrong_password', param: 'password' })
const wrongPerson = () =>
  permissionDenied('This proves that you are somebody else. Sign out first to sign in as them.', {
    code: 'other_person',
  })
