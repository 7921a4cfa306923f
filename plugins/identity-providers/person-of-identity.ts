// The person of an identity: the one it is linked to, the one with its verified address, or a new person if the settings allow it.
import { claimEmail, personOfEmail } from '../../src/access/emails.ts'
import { type Entrance, lockPerson, type ProvedPerson } from '../../src/access/people.ts'
import { peopleQueries } from '../../src/access/people-queries.ts'
import { conflict, permissionDenied } from '../../src/domain/errors.ts'
import { domainOf } from '../../src/domain/mail-address.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Db, Tx } from '../../src/store/db.ts'
import type { IdentityRow, PersonRow } from '../../src/store/schema.ts'
import type { ProvedIdentity } from './claims.ts'
import { findIdentity, insertIdentity, useIdentity } from './identities.ts'
import { type IdentityProvider, isFor } from './settings.ts'

/** Notifies a person of a change to their ways to sign in, such as by mail. In the transaction of the change. */
export type NotifyChange = (
  tx: Tx,
  person: PersonRow,
  change: 'identity' | 'identity_removed',
) => Promise<void>

export interface IdentitySignIn {
  provider: IdentityProvider
  identity: ProvedIdentity
  now_ms: number
  notifyChange: NotifyChange
  /** Creates the account of a new person; undefined if visitors cannot sign up this way. */
  signUp: ((tx: Tx) => Promise<Entrance>) | undefined
}

/**
 * Finds the person of an identity. An address links it to a person only if the provider says that it has verified the address, and the person has
 * verified it here, too. In the transaction that opens the session.
 *
 * @throws GatewayError permission_denied if the identity belongs to nobody here, or the person may not sign in by this provider
 */
export async function personOfIdentity(tx: Tx, sign_in: IdentitySignIn): Promise<ProvedPerson> {
  const { identity, provider } = sign_in
  const known = await findIdentity(tx, identity)
  if (known) return await enterKnown(tx, known, sign_in)
  const email = allowedEmail(identity, provider)
  if (email === undefined) throw belongsToNobody(provider)
  const holder = await personOfEmail(tx, email)
  if (holder && isOwnAddress(holder)) return await join(tx, holder, email, sign_in)
  return await enterNew(tx, email, sign_in)
}

/**
 * Whether the person's address is trusted: they verified it here, or an operator entered it for somebody on the staff. Without the second case, staff
 * would be added a second time by `staff_role`, with another role, and people who were removed from the staff would come back.
 */
const isOwnAddress = ({ email_verified_at_ms, account_id }: PersonRow): boolean =>
  email_verified_at_ms !== null || account_id === null

/** Returns the verified address if its domain is allowed. It decides for linked identities as well as for new people. */
export function allowedEmail(
  { verified_email }: ProvedIdentity,
  { email_domains }: IdentityProvider,
): string | undefined {
  if (verified_email === undefined || email_domains.length === 0) return verified_email
  return email_domains.includes(domainOf(verified_email)) ? verified_email : undefined
}

/**
 * Checks the domain at every sign-in, also of linked identities: a person whose domain is no longer allowed must sign in another way.
 *
 * @throws GatewayError permission_denied
 */
export function requireAllowedDomain(identity: ProvedIdentity, provider: IdentityProvider): void {
  const { email_domains, title } = provider
  if (email_domains.length === 0 || allowedEmail(identity, provider) !== undefined) return
  throw permissionDenied(
    `${title} has not verified an address of yours in a domain that may sign in here. Sign in another way, or ask the operator to allow your domain.`,
    { code: 'identity_domain' },
  )
}

async function enterKnown(
  tx: Tx,
  { id, person_id }: IdentityRow,
  { identity, provider, now_ms }: IdentitySignIn,
): Promise<ProvedPerson> {
  await lockPerson(tx, person_id)
  // Another request may have unlinked it before the lock.
  if ((await findIdentity(tx, identity))?.id !== id) throw belongsToNobody(provider)
  const place = await requirePlace(tx, person_id, provider)
  requireAllowedDomain(identity, provider)
  await useIdentity(tx, { id }, { provider: provider.name, email: identity.email, now_ms })
  return provedPerson(place, { id }, identity)
}

async function join(
  tx: Tx,
  { id }: PersonRow,
  email: string,
  sign_in: IdentitySignIn,
): Promise<ProvedPerson> {
  const { provider } = sign_in
  await lockPerson(tx, id)
  const person = await personOfEmail(tx, email)
  if (person?.id !== id || !isOwnAddress(person)) throw belongsToNobody(provider)
  const place = await requirePlace(tx, id, provider)
  if (person.email_verified_at_ms === null)
    await claimEmail(tx, { person_id: id, email, now_ms: sign_in.now_ms })
  return await linkAndOpen(tx, place, sign_in)
}

async function enterNew(tx: Tx, email: string, sign_in: IdentitySignIn): Promise<ProvedPerson> {
  const { provider, signUp } = sign_in
  if (provider.staff_role !== undefined)
    return await linkAndOpen(tx, await newStaff(tx, email, sign_in), sign_in)
  if (!signUp) throw belongsToNobody(provider)
  return await linkAndOpen(tx, await signUp(tx), sign_in)
}

async function newStaff(
  tx: Tx,
  email: string,
  { provider, identity, now_ms }: IdentitySignIn,
): Promise<Entrance> {
  await tx.lock(null)
  const { insert, insertStaff, byId } = peopleQueries(tx)
  const name = identity.name ?? email
  const { id }: PersonRow = await insert.get({ account_id: null, name, created_at_ms: now_ms })
  // Throws if another person has verified the address meanwhile.
  await claimEmail(tx, { person_id: id, email, now_ms })
  const role = provider.staff_role
  await insertStaff.run({ person_id: id, role, created_at_ms: now_ms })
  await recordAction(tx, { action: 'staff.added', subject: email, after: { name, email, role } })
  const person = await byId.get({ id })
  if (!person) throw belongsToNobody(provider)
  return { person, account_id: null }
}

async function linkAndOpen(
  tx: Tx,
  place: Entrance,
  { identity, provider, now_ms, notifyChange }: IdentitySignIn,
): Promise<ProvedPerson> {
  const { person, account_id } = place
  const row = await insertIdentity(tx, identity, { person_id: person.id, provider: provider.name, now_ms })
  if (!row)
    throw conflict('This identity was linked at the same moment. Sign in again.', { code: 'identity_taken' })
  await recordLinked(tx, { person, account_id }, { provider: provider.name, email: identity.email })
  await notifyChange(tx, person, 'identity')
  return provedPerson(place, row, identity)
}

/** Names the person in the audit log by address or name; the identity's subject is not recorded. */
export const recordLinked = (
  tx: Tx,
  { person, account_id }: Entrance,
  after: { provider: string; email: string | undefined },
): Promise<void> =>
  recordAction(tx, {
    action: 'identity.linked',
    account_id: account_id ?? undefined,
    subject: person.email ?? person.name,
    after,
  })

const provedPerson = (
  place: Entrance,
  { id }: Pick<IdentityRow, 'id'>,
  { provider_session }: ProvedIdentity,
): ProvedPerson => ({
  ...place,
  identity: { id, provider_session: provider_session ?? null },
})

interface PersonPlaces {
  person: PersonRow
  staff_id: number | null
  account_id: number | null
}

/** Staff sign in to their own side only: a provider that does not serve the staff does not let them into their accounts either. */
function placeOf(
  { person, staff_id, account_id }: PersonPlaces,
  provider: IdentityProvider,
): Entrance | undefined {
  if (staff_id !== null) return isFor(provider, 'staff') ? { person, account_id: null } : undefined
  return account_id !== null && isFor(provider, 'accounts') ? { person, account_id } : undefined
}

/** Like `requirePlace`, but undefined if the person may not sign in by this provider. */
export async function placeBy(
  db: Db,
  person_id: number,
  provider: IdentityProvider,
): Promise<Entrance | undefined> {
  const found: PersonPlaces | undefined = await peopleQueries(db).enteringById.get({ id: person_id })
  return found && placeOf(found, provider)
}

/**
 * Returns the place where a person signs in by a provider: the staff's side, or their first account.
 *
 * @throws GatewayError permission_denied
 */
export async function requirePlace(db: Db, person_id: number, provider: IdentityProvider): Promise<Entrance> {
  const found = await peopleQueries(db).enteringById.get({ id: person_id })
  // A person who was removed from the staff does not come back by `staff_role`.
  if (!found || (found.staff_id === null && found.account_id === null)) throw belongsToNobody(provider)
  const place = placeOf(found, provider)
  if (place) return place
  throw permissionDenied(
    `${provider.title} is not a way to sign in for ${found.staff_id === null ? 'accounts' : 'the staff'} here. Sign in another way.`,
    { code: 'identity_not_for_you' },
  )
}

const belongsToNobody = ({ title }: IdentityProvider) =>
  permissionDenied(
    `No account here belongs to this identity. Ask for an invitation, or sign in another way and link ${title} in Settings.`,
    { code: 'identity_unknown' },
  )
