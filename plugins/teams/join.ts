// Joining an account by an invitation: as the signed-in person, or as a new one with a name and a password.
import { claimEmail, personOfEmail, setUnverifiedEmail } from '../../src/access/emails.ts'
import { consumeInvitation, readInvitation } from '../../src/access/invitations.ts'
import { personsName } from '../../src/access/own-name.ts'
import { checkPassword, setPassword } from '../../src/access/passwords.ts'
import { type Entrance, lockPerson } from '../../src/access/people.ts'
import { peopleQueries } from '../../src/access/people-queries.ts'
import type { SignedIn, Visitor } from '../../src/access/session-rows.ts'
import { addMember, type TeamRole } from '../../src/access/team.ts'
import { actionContextOf, requirePerson, type Viewer } from '../../src/access/viewer.ts'
import type { Terms } from '../../src/app/surface/console/terms.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { ActionContext } from '../../src/domain/actions.ts'
import { conflict } from '../../src/domain/errors.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import type { InvitationRow, PersonRow } from '../../src/store/schema.ts'

type Parts = Pick<Gateway, 'calls' | 'people' | 'db'>

/** Returns the invitation and the account of a link. @throws GatewayError not_found; rate_limited */
export async function findInvitation({ calls, people, db }: Parts, token: string, visitor: Visitor) {
  const { invitation, account } = await people.sessions.found(visitor, () =>
    readInvitation(db, token, calls.now()),
  )
  const terms = people.terms?.current() ?? null
  return { invitation, account, terms, signs_in: await mustSignIn(db, invitation) }
}

/**
 * Whether the invited address belongs to a person here, who has to sign in to join. Always false for a link that was not mailed: otherwise the
 * inviter, who saw the link, would learn which addresses have a person.
 */
async function mustSignIn(db: Db, { is_mailed, email }: InvitationRow): Promise<boolean> {
  if (is_mailed === 0) return false
  return isKnown(await personOfEmail(db, email))
}

const isKnown = (holder: PersonRow | undefined): boolean =>
  holder !== undefined && holder.email_verified_at_ms !== null

/**
 * Adds the signed-in person to the account, and switches their session to it.
 *
 * @throws GatewayError not_found for a link that does not work; permission_denied in a session by key, and for a suspended account; rate_limited
 */
export async function joinAsViewer(
  { calls, people, db }: Parts,
  viewer: Viewer,
  token: string,
  visitor: Visitor,
): Promise<SignedIn> {
  requirePerson(viewer)
  const { person_id } = viewer
  const now_ms = calls.now()
  await people.sessions.found(visitor, () => readInvitation(db, token, now_ms))
  const account_id = await db.begin(
    async (tx) => {
      await lockPerson(tx, person_id)
      const { account, invitation } = await consumeInvitation(tx, token, now_ms)
      const person: PersonRow | undefined = await peopleQueries(tx).byId.get({ id: person_id })
      await addAndRecord(
        tx,
        { account_id: account.id, person_id, role: invitation.role, name: person?.name ?? '' },
        now_ms,
      )
      return account.id
    },
    { by: actionContextOf(viewer, visitor, now_ms) },
  )
  return await people.sessions.switchTo(viewer, account_id, visitor)
}

interface NewMember {
  token: string
  name: string
  password: string
  /** The terms that the page showed; null if the person accepted none. */
  terms: Terms | null
}

/**
 * Creates a person, adds them to the account, and signs them in. A mailed link verifies the address, and takes it from a person who only entered it;
 * with a link that was not mailed the address is stored unverified.
 *
 * @throws GatewayError not_found for a link that does not work; invalid_request for a name, a password or missing terms; conflict if the address
 * belongs to a person who has to sign in, and for changed terms; permission_denied for a suspended account; rate_limited; overloaded
 */
export async function joinAsNew(
  { calls, people, db }: Parts,
  { token, name: typed_name, password, terms: accepted }: NewMember,
  visitor: Visitor,
): Promise<SignedIn> {
  const name = personsName(typed_name)
  checkPassword(password, 'password')
  const { invitation } = await people.sessions.found(visitor, () => readInvitation(db, token, calls.now()))
  if (await mustSignIn(db, invitation)) throw signInFirst()
  const hash = await people.passwords.hash(password)
  return await people.sessions.withProof(
    'link',
    async (tx) => {
      const by: ActionContext = {
        actor: { kind: 'system' },
        now_ms: calls.now(),
        request_id: visitor.request_id,
      }
      const entering = await createMember(tx, { token, name, hash }, by)
      const { person, account_id } = entering
      await people.terms?.accept(tx, { person_id: person.id, account_id, accepted }, by)
      return entering
    },
    visitor,
  )
}

async function createMember(
  tx: Tx,
  { token, name, hash }: { token: string; name: string; hash: string },
  by: ActionContext,
): Promise<Entrance & { account_id: number }> {
  const { now_ms } = by
  // Serializes with other transactions that take addresses.
  await tx.lock(null)
  const { account, invitation } = await consumeInvitation(tx, token, now_ms)
  const { email, role, is_mailed } = invitation
  const { id: account_id } = account
  if (is_mailed === 1 && isKnown(await personOfEmail(tx, email))) throw signInFirst()
  const person: PersonRow = await peopleQueries(tx).insert.get({ account_id, name, created_at_ms: now_ms })
  const { id: person_id } = person
  if (is_mailed === 1) await claimEmail(tx, { person_id, email, now_ms })
  else await setUnverifiedEmail(tx, { person_id, email })
  await setPassword(tx, { person_id, hash, now_ms })
  await addAndRecord(tx, { account_id, person_id, role, name }, now_ms, by)
  return { person, account_id }
}

async function addAndRecord(
  tx: Tx,
  { name, ...member }: { account_id: number; person_id: number; role: TeamRole; name: string },
  now_ms: number,
  by?: ActionContext,
): Promise<void> {
  await addMember(tx, member, now_ms)
  const { account_id, role } = member
  await recordAction(tx, { action: 'member.joined', account_id, after: { name, role } }, by)
}

const signInFirst = () =>
  conflict('You already have a sign-in here with this address. Sign in first, then join.', {
    code: 'sign_in_first',
  })
