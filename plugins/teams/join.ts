// Joining by an invitation: as who is signed in, or as a new person with a name and a password.
import { claimEmail, noteEmail, personOfEmail } from '../../src/access/emails.ts'
import { readInvitation, takeInvitation } from '../../src/access/invitations.ts'
import { personsName } from '../../src/access/own-name.ts'
import { checkPassword, setPassword } from '../../src/access/passwords.ts'
import { lockPerson, type PersonIn } from '../../src/access/people.ts'
import { peopleQueries } from '../../src/access/people-queries.ts'
import type { SignedIn, Visitor } from '../../src/access/session-rows.ts'
import { addMember, type TeamRole } from '../../src/access/team.ts'
import { actingAs, requirePerson, type Viewer } from '../../src/access/viewer.ts'
import type { Terms } from '../../src/app/surface/console/terms.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { ActionContext } from '../../src/domain/actions.ts'
import { conflict } from '../../src/domain/errors.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import type { InvitationRow, PersonRow } from '../../src/store/schema.ts'

type Parts = Pick<Gateway, 'calls' | 'people' | 'db'>

/** The person and the account of a link. @throws GatewayError not_found; rate_limited */
export async function lookAtInvitation({ calls, people, db }: Parts, token: string, visitor: Visitor) {
  const { invitation, account } = await people.sessions.found(visitor, () =>
    readInvitation(db, token, calls.now()),
  )
  const terms = people.terms?.current() ?? null
  return { invitation, account, terms, signs_in: await mustSignIn(db, invitation) }
}

/**
 * Whether the address belongs to a person here, who signs in to join. A link that was shown to somebody says nothing of it: whoever invited
 * would learn who is here.
 */
async function mustSignIn(db: Db, { is_mailed, email }: InvitationRow): Promise<boolean> {
  if (is_mailed === 0) return false
  return isKnown(await personOfEmail(db, email))
}

const isKnown = (holder: PersonRow | undefined): boolean =>
  holder !== undefined && holder.email_verified_at_ms !== null

/**
 * Joins as who is signed in, and goes on in the account.
 *
 * @throws GatewayError not_found for a link that is of no use; permission_denied in a session by key, and for a suspended account; rate_limited
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
      const { account, invitation } = await takeInvitation(tx, token, now_ms)
      const person: PersonRow | undefined = await peopleQueries(tx).byId.get({ id: person_id })
      await join(
        tx,
        { account_id: account.id, person_id, role: invitation.role, name: person?.name ?? '' },
        now_ms,
      )
      return account.id
    },
    { by: actingAs(viewer, visitor, now_ms) },
  )
  return await people.sessions.switchTo(viewer, account_id, visitor)
}

interface NewMember {
  token: string
  name: string
  password: string
  /** As they were shown; null where none were accepted. */
  terms: Terms | null
}

/**
 * Joins as a new person, who is signed in. A mailed link shows that the address is theirs: somebody for whom it was only written down loses it.
 * The address of a link that was shown is only written down.
 *
 * @throws GatewayError not_found for a link that is of no use; invalid_request for a name, a password or missing terms; conflict for the address
 * of a person who has to sign in, and for terms that have changed; permission_denied for a suspended account; rate_limited; overloaded
 */
export async function joinAsNew(
  { calls, people, db }: Parts,
  { token, name: typed, password, terms: accepted }: NewMember,
  visitor: Visitor,
): Promise<SignedIn> {
  const name = personsName(typed)
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
      const entering = await newMember(tx, { token, name, hash }, by)
      const { person, account_id } = entering
      await people.terms?.accept(tx, { person_id: person.id, account_id, accepted }, by)
      return entering
    },
    visitor,
  )
}

async function newMember(
  tx: Tx,
  { token, name, hash }: { token: string; name: string; hash: string },
  by: ActionContext,
): Promise<PersonIn & { account_id: number }> {
  const { now_ms } = by
  // Addresses, against others who take them meanwhile.
  await tx.lock(null)
  const { account, invitation } = await takeInvitation(tx, token, now_ms)
  const { email, role, is_mailed } = invitation
  const { id: account_id } = account
  if (is_mailed === 1 && isKnown(await personOfEmail(tx, email))) throw signInFirst()
  const person: PersonRow = await peopleQueries(tx).insert.get({ account_id, name, created_at_ms: now_ms })
  const { id: person_id } = person
  if (is_mailed === 1) await claimEmail(tx, { person_id, email, now_ms })
  else await noteEmail(tx, { person_id, email })
  await setPassword(tx, { person_id, hash, now_ms })
  await join(tx, { account_id, person_id, role, name }, now_ms, by)
  return { person, account_id }
}

async function join(
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
  conflict('You are here already with this address. Sign in first, then join.', { code: 'sign_in_first' })
