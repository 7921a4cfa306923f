// Changes of the staff: adding, changing, removing, disabling and enabling people. An operator who can sign in always remains.
import { personOfEmail, setUnverifiedEmail } from '../../src/access/emails.ts'
import { peopleQueries } from '../../src/access/people-queries.ts'
import { passkeyQueries } from '../../src/access/session-queries.ts'
import { invitationQueries } from '../../src/access/team-queries.ts'
import type { Fields } from '../../src/domain/actions.ts'
import { conflict, invalidRequest, notFound } from '../../src/domain/errors.ts'
import { personsAddress } from '../../src/domain/mail-address.ts'
import { recordAction } from '../../src/store/actions.ts'
import type { Tx } from '../../src/store/db.ts'
import type { PersonRow, StaffRow } from '../../src/store/schema.ts'
import { unseenIn } from '../../src/utilities/visible-text.ts'
import { allStaff, canOperate, findStaff, type StaffPerson, staffQueries } from './rows.ts'

export const STAFF_ROLES = ['operator', 'support', 'auditor'] as const satisfies readonly StaffRow['role'][]
export type StaffRole = (typeof STAFF_ROLES)[number]

const MAX_NAME_CHARS = 100

interface NewStaff {
  name: string
  email: string
  role: StaffRole
}

interface AddedStaff {
  person: StaffPerson
  /** Whether the person was in an account and had verified the address: then they keep their name and password. */
  was_here: boolean
}

/**
 * Adds a person to the staff. If the address is verified by an existing person, that person becomes staff. An unverified address is taken from its
 * holder, so that nobody joins the staff by an address that may be another person's.
 *
 * @throws GatewayError invalid_request for a malformed name or address; conflict if the person is on the staff already
 */
export async function addStaff(tx: Tx, added: NewStaff, now_ms: number): Promise<AddedStaff> {
  const email = personsAddress(added.email)
  const name = checkedName(added.name)
  await tx.lock(null)
  const known = await findStaff(tx, email)
  if (known) throw alreadyStaff(known)
  const holder = await personOfEmail(tx, email)
  const membership = holder && (await staffQueries(tx).firstMembership.get({ id: holder.id }))
  const was_here = membership !== undefined && holder?.email_verified_at_ms !== null
  const { id } = await findOrCreatePerson(tx, { name, email, now_ms, holder, was_here })
  await peopleQueries(tx).insertStaff.run({ person_id: id, role: added.role, created_at_ms: now_ms })
  const person = await requireStaff(tx, String(id))
  await recordAction(tx, { action: 'staff.added', subject: email, after: fieldsOf(person) })
  return { person, was_here }
}

interface PersonToAdd {
  name: string
  email: string
  now_ms: number
  /** The person who has the address now. */
  holder: PersonRow | undefined
  was_here: boolean
}

/** A person who was removed from the staff earlier comes back as the same person: their address was verified, or entered by an operator. */
async function findOrCreatePerson(tx: Tx, { holder, was_here, ...added }: PersonToAdd): Promise<PersonRow> {
  if (!holder || (holder.email_verified_at_ms === null && holder.account_id !== null))
    return await createPerson(tx, { ...added, holder })
  if (!was_here) await staffQueries(tx).setName.run({ id: holder.id, name: added.name })
  return await moveToStaff(tx, holder)
}

/** Detaches the person from their account, so that erasing the account does not erase a person of the staff, and enables them. */
async function moveToStaff(tx: Tx, person: PersonRow): Promise<PersonRow> {
  const { account_id, id, email, disabled_at_ms } = person
  if (account_id !== null) {
    await tx.lock(account_id)
    await staffQueries(tx).setHome.run({ id, account_id: null })
  }
  if (disabled_at_ms !== null) {
    await staffQueries(tx).setDisabled.run({ id, disabled_at_ms: null })
    await recordAction(tx, { action: 'person.enabled', subject: email ?? undefined })
  }
  return person
}

async function createPerson(
  tx: Tx,
  { name, email, now_ms, holder }: Omit<PersonToAdd, 'was_here'>,
): Promise<PersonRow> {
  if (holder) await peopleQueries(tx).setEmail.run({ id: holder.id, email: null, email_verified_at_ms: null })
  const person: PersonRow = await staffQueries(tx).insertPerson.get({ name, created_at_ms: now_ms })
  await setUnverifiedEmail(tx, { person_id: person.id, email })
  return person
}

/**
 * Gives a person another role or name, which applies from their next request on.
 *
 * @throws GatewayError not_found; invalid_request for a malformed name; conflict for the last operator who can sign in
 */
export async function changeStaff(
  tx: Tx,
  reference: string,
  { role, name }: { role?: StaffRole | undefined; name?: string | undefined },
): Promise<StaffPerson> {
  const checked = name === undefined ? undefined : checkedName(name)
  await tx.lock(null)
  const before = await requireStaff(tx, reference)
  if (role !== undefined && role !== 'operator') await requireOtherOperator(tx, before)
  const { id } = before
  if (role !== undefined) await staffQueries(tx).setRole.run({ id, role })
  if (before.role === 'operator' && role !== undefined && role !== 'operator') await endInvitations(tx, id)
  if (checked !== undefined) await staffQueries(tx).setName.run({ id, name: checked })
  const after = await requireStaff(tx, String(id))
  const [was, is] = [fieldsOf(before), fieldsOf(after)]
  if (!Bun.deepEquals(was, is))
    await recordAction(tx, { action: 'staff.changed', subject: subjectOf(after), before: was, after: is })
  return after
}

/**
 * Removes a person from the staff, and ends their sessions there. A person who is in an account stays there; others can no longer sign in. The name
 * and address are kept for the audit log.
 *
 * @throws GatewayError not_found; conflict for the last operator who can sign in
 */
export async function removeStaff(tx: Tx, reference: string): Promise<StaffPerson> {
  await tx.lock(null)
  const person = await requireStaff(tx, reference)
  await requireOtherOperator(tx, person)
  const { id } = person
  const queries = staffQueries(tx)
  await queries.remove.run({ id })
  await queries.removeLinks.run({ id })
  const ended = await queries.endStaffSessions.all({ id })
  const invitations = await endInvitations(tx, id)
  const membership = await queries.firstMembership.get({ id })
  if (membership) await queries.setHome.run({ id, account_id: membership.account_id })
  else {
    await queries.removePassword.run({ id })
    await passkeyQueries(tx).removeOfPerson.run({ person_id: id })
    // Identities stay linked, so that the `staff_role` of a provider does not add the person again.
    await queries.forgetAddresses.run({ id })
  }
  await recordAction(tx, {
    action: 'staff.removed',
    subject: subjectOf(person),
    before: { ...fieldsOf(person), sessions: ended.length, ...invitations },
  })
  return person
}

/**
 * Prevents a person from signing in, and ends all of their sessions and links.
 *
 * @throws GatewayError not_found; conflict for the last operator who can sign in
 */
export async function disableStaff(tx: Tx, reference: string, now_ms: number): Promise<StaffPerson> {
  await tx.lock(null)
  const person = await requireStaff(tx, reference)
  if (person.disabled_at_ms !== null) return person
  await requireOtherOperator(tx, person)
  const { id } = person
  await staffQueries(tx).setDisabled.run({ id, disabled_at_ms: now_ms })
  await staffQueries(tx).removeLinks.run({ id })
  const ended = await staffQueries(tx).endSessions.all({ id })
  const invitations = await endInvitations(tx, id)
  await recordAction(tx, {
    action: 'person.disabled',
    subject: subjectOf(person),
    before: { sessions: ended.length, ...invitations },
  })
  return await requireStaff(tx, String(id))
}

/** Revokes open invitations into accounts that a person made: with a link that they kept they could join. @returns their number, for the audit log */
async function endInvitations(tx: Tx, id: number): Promise<{ invitations?: number }> {
  const ended = await invitationQueries(tx).removeBy.all({ invited_by: id })
  return ended.length > 0 ? { invitations: ended.length } : {}
}

/** @throws GatewayError not_found */
export async function enableStaff(tx: Tx, reference: string): Promise<StaffPerson> {
  await tx.lock(null)
  const person = await requireStaff(tx, reference)
  if (person.disabled_at_ms === null) return person
  await staffQueries(tx).setDisabled.run({ id: person.id, disabled_at_ms: null })
  await recordAction(tx, { action: 'person.enabled', subject: subjectOf(person) })
  return await requireStaff(tx, String(person.id))
}

/** @param reference the number or the address of a person @throws GatewayError not_found */
export async function requireStaff(tx: Tx, reference: string): Promise<StaffPerson> {
  const person = await findStaff(tx, reference)
  if (person) return person
  throw notFound(
    `Nobody on the staff has the number or address "${reference}". \`tollgate staff list\` shows all.`,
    {
      param: 'person',
    },
  )
}

/**
 * Checks that another operator can sign in. The caller's transaction has locked the operator, so that two requests cannot remove the last two.
 *
 * @throws GatewayError conflict
 */
async function requireOtherOperator(tx: Tx, person: StaffPerson): Promise<void> {
  if (person.role !== 'operator' || person.disabled_at_ms !== null) return
  const others = (await allStaff(tx)).filter(({ id }) => id !== person.id)
  const is_enough = canOperate(person)
    ? others.some(canOperate)
    : others.some(({ role, disabled_at_ms }) => role === 'operator' && disabled_at_ms === null)
  if (is_enough) return
  throw conflict(
    `${person.name} is the last operator who can sign in. Add another operator first, and wait until they have set a password.`,
    { code: 'last_operator' },
  )
}

/** The person's name in the audit log. */
export const subjectOf = ({ email, name }: Pick<PersonRow, 'email' | 'name'>): string => email ?? name

const fieldsOf = ({ name, email, role }: StaffPerson): Fields => ({ name, email, role })

function checkedName(name: string): string {
  const trimmed = name.trim().normalize('NFC')
  if (trimmed === '' || trimmed.length > MAX_NAME_CHARS)
    throw invalidRequest(`name: must have 1 to ${MAX_NAME_CHARS} characters.`, { param: 'name' })
  const unseen = unseenIn(trimmed)
  if (unseen !== undefined)
    throw invalidRequest(`name: must be without the control character ${unseen}. Remove it.`, {
      param: 'name',
    })
  return trimmed
}

const alreadyStaff = ({ name, email, role }: StaffPerson) =>
  conflict(`${name} (${email}) is already on the staff, as ${role}. Change the role instead.`, {
    code: 'already_staff',
    param: 'email',
  })
