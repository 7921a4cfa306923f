// The end of a sign-in by a provider: what it sent back becomes a session, a linked identity, or a fresh proof in the session that is there.
import { requireFresh } from '../../../src/access/fresh-sign-in.ts'
import { type SignedIn, signOut, type Visitor } from '../../../src/access/session-rows.ts'
import type { Viewer } from '../../../src/access/viewer.ts'
import { type Asking, type ConsoleParts, changed } from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { permissionDenied } from '../../../src/domain/errors.ts'
import { requireAllowedDomain, requirePlace } from '../entering.ts'
import { findIdentity } from '../identities.ts'
import { linkIdentity, requireForSide } from '../linking.ts'
import type { Proved, SigningIn } from '../signing-in.ts'
import { newcomerOf } from '../signing-up.ts'

/** Whoever comes back: somebody who is signed in, or anybody. */
interface Returning extends Omit<Asking, 'viewer'> {
  viewer: Viewer | undefined
  visitor: Visitor
}

/**
 * Does what the sign-in was started for.
 *
 * @returns the session that the browser is to have; undefined where it keeps the one that it has
 * @throws GatewayError permission_denied where it was started in a session that has ended; what signing in, linking and confirming throw
 */
export async function endFlow(
  gateway: ConsoleParts & Pick<Gateway, 'operations'>,
  own: SigningIn,
  proved: Proved,
  { viewer, visitor, origin }: Returning,
): Promise<SignedIn | undefined> {
  const { sessions } = gateway.people
  const { purpose, session_id } = proved.flow
  if (purpose === 'sign_in') {
    const signUp = await newcomerOf(gateway, proved, visitor)
    const signed_in = await sessions.withProof('identity', (tx) => own.enter(tx, proved, signUp), visitor)
    // The browser forgets this session with its cookie: nobody should be able to use it.
    if (viewer) await changed(gateway, { viewer, origin }, (tx) => signOut(tx, viewer))
    return signed_in
  }
  if (!viewer || viewer.side === 'key' || viewer.session_id !== session_id) throw signedOutMeanwhile()
  // Once more: the browser keeps what it was started for, and may have written another purpose there.
  requireForSide(proved.provider, viewer)
  if (purpose === 'confirm')
    return await sessions.confirm(
      viewer,
      {
        proof: 'identity',
        async decide(tx) {
          await own.use(tx, proved)
          const row = await findIdentity(tx, proved.identity)
          if (row) await requirePlace(tx, row.person_id, proved.provider)
          requireAllowedDomain(proved.identity, proved.provider)
          return { id: row?.person_id ?? NOBODY }
        },
      },
      visitor,
    )
  // As of its start: the time at the provider is not counted.
  requireFresh(viewer, proved.flow.started_at_ms)
  const now_ms = gateway.calls.now()
  await changed(gateway, { viewer, origin }, (tx) => linkIdentity(tx, { viewer, proved, now_ms, own }))
  return undefined
}

/** No person has this number. */
const NOBODY = 0

const signedOutMeanwhile = () =>
  permissionDenied('You were signed out meanwhile. Sign in, and try again.', { code: 'sign_in_not_started' })
