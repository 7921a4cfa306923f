// Switching of a session to another account of the person, or to the staff's side, with a new token.
import { notFound } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { SessionRow } from '../store/schema.ts'
import { lockPerson, personOnSide } from './people.ts'
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
import { accountOf, actionContextOf, requirePerson, type Viewer } from './viewer.ts'

/**
 * Moves a session to another side. Its expiry and its proof stay; the old token becomes invalid.
 *
 * @param account_id null: the staff's side
 * @throws GatewayError not_found if the person has no role there; permission_denied in a session by key; unauthenticated if the session has ended
 */
export async function switchAccount(
  { db, settings, randomBytes, now }: SessionParts,
  viewer: Viewer,
  account_id: number | null,
  visitor: Visitor,
): Promise<SignedIn> {
  requirePerson(viewer)
  const { person_id, session_id } = viewer
  const token = newSessionToken(randomBytes)
  return await db.begin(
    async (tx) => {
      await lockPerson(tx, person_id)
      // So that the account is not closed, nor the person removed, meanwhile: both end sessions.
      await tx.lock(account_id)
      if (!(await personOnSide(tx, { person_id, account_id }))) throw notMember()
      const row: SessionRow | undefined = await sessionQueries(tx).moveTo.get({
        id: session_id,
        sha256: hashKey(token),
        account_id,
        role: account_id === null ? 'operator' : 'account',
      })
      if (!row) throw sessionRequired()
      await recordAction(tx, {
        action: 'session.switched',
        // A switch to the staff's side is logged for the account that is left.
        account_id: account_id ?? accountOf(viewer),
        after: { session: session_id },
      })
      const switched = await viewerOf(tx, row, { now_ms: now(), address: visitor.address })
      return { viewer: switched, token, lasts_s: settings().session_hours * 3_600 }
    },
    { by: actionContextOf(viewer, visitor, now()) },
  )
}

/** Whether a viewer is on this side already. */
export const isAt = (viewer: Viewer, account_id: number | null): boolean =>
  (accountOf(viewer) ?? null) === account_id

const notMember = () =>
  notFound('You are not in this account. See the list of yours.', { param: 'account_id' })
