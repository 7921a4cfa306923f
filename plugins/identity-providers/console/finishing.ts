// The end of a sign-in at a provider: its answer opens a session, links an identity, or confirms the current session.
import { requireFresh } from '../../../src/access/fresh-sign-in.ts'
import { type SignedIn, signOut, type Visitor } from '../../../src/access/session-rows.ts'
import type { Viewer } from '../../../src/access/viewer.ts'
import { type ConsoleParts, changed, type Requester } from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { permissionDenied } from '../../../src/domain/errors.ts'
import { findIdentity } from '../identities.ts'
import { linkIdentity, requireForSide } from '../linking.ts'
import { requireAllowedDomain, requirePlace } from '../person-of-identity.ts'
import type { ProvedSignIn, ProviderSignIn } from '../signing-in.ts'
import { accountCreator } from '../signing-up.ts'

/** The request with the provider's answer, from a signed-in viewer or from a visitor. */
interface FinishRequest extends Omit<Requester, 'viewer'> {
  viewer: Viewer | undefined
  visitor: Visitor
}

/**
 * Carries out the purpose of the sign-in.
 *
 * @returns the new session for the browser; undefined if the browser keeps its session
 * @throws GatewayError permission_denied if the session that started it has ended; errors of signing in, linking and confirming
 */
export async function endFlow(
  gateway: ConsoleParts & Pick<Gateway, 'operations'>,
  own: ProviderSignIn,
  proved: ProvedSignIn,
  { viewer, visitor, origin }: FinishRequest,
): Promise<SignedIn | undefined> {
  const { sessions } = gateway.people
  const { purpose, session_id } = proved.flow
  if (purpose === 'sign_in') {
    const signUp = await accountCreator(gateway, proved, visitor)
    const signed_in = await sessions.withProof('identity', (tx) => own.enter(tx, proved, signUp), visitor)
    // The browser drops the cookie of the old session, so nobody should be able to use it.
    if (viewer) await changed(gateway, { viewer, origin }, (tx) => signOut(tx, viewer))
    return signed_in
  }
  if (!viewer || viewer.side === 'key' || viewer.session_id !== session_id) throw signedOutMeanwhile()
  // Checked again: the browser keeps the purpose, and could have changed it.
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
  // Fresh when it started: the time that the person spent at the provider does not count.
  requireFresh(viewer, proved.flow.started_at_ms)
  const now_ms = gateway.calls.now()
  await changed(gateway, { viewer, origin }, (tx) => linkIdentity(tx, { viewer, proved, now_ms, own }))
  return undefined
}

/** Not the number of any person. */
const NOBODY = 0

const signedOutMeanwhile = () =>
  permissionDenied('You were signed out meanwhile. Sign in, and try again.', { code: 'sign_in_not_started' })
