// Switching: a person goes on in another account of theirs, or on the staff's side, in the same session under a new token.
import { notFound } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { SessionRow } from '../store/schema.ts'
import { lockPerson, personAt } from './people.ts'
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
import { accountOf, actingAs, requirePerson, type Viewer } from './viewer.ts'

/**
 * Takes a session to another side. Its end and its proof stay; whoever has the token before has nothing of it.
 *
 * @param account_id null: the staff's side
 * @throws GatewayError not_found where the person has no role; permission_denied in a session by key; unauthenticated once the session has ended
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
      // Against the closing of the account, and a removal, which end sessions.
      await tx.lock(account_id)
      if (!(await personAt(tx, { person_id, account_id }))) throw notThere()
      const row: SessionRow | undefined = await sessionQueries(tx).moveTo.get({
        id: session_id,
        sha256: hashKey(token),
        account_id,
        role: account_id === null ? 'operator' : 'account',
      })
      if (!row) throw sessionRequired()
      await recordAction(tx, {
        action: 'session.switched',
        // What goes on in neither account is in the log of the one that is left.
        account_id: account_id ?? accountOf(viewer),
        after: { session: session_id },
      })
      const switched = await viewerOf(tx, row, { now_ms: now(), address: visitor.address })
      return { viewer: switched, token, lasts_s: settings().session_hours * 3_600 }
    },
    { by: actingAs(viewer, visitor, now()) },
  )
}

/** Whether a viewer is there already. */
export const isAt = (viewer: Viewer, account_id: number | null): boolean =>
  (accountOf(viewer) ?? null) === account_id

const notThere = () =>
  notFound('You are not in this account. See the list of yours.', { param: 'account_id' })
