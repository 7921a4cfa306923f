// The people of an account: roles, removal, spend limits, and the handover of keys.
import { conflict, invalidRequest, notFound } from '../domain/errors.ts'
import { recordAction } from '../store/actions.ts'
import type { Db, Tx } from '../store/db.ts'
import type { Key, MembershipRow, PersonRow } from '../store/schema.ts'
import { type BudgetChanges, removePersonBudgets, setBudgets } from './budgets.ts'
import { CONSOLE_KEY } from './console-key.ts'
import { revokeInvitation } from './invitations.ts'
import { revokeKey } from './keys.ts'
import { requireKeyHolder } from './person-keys.ts'
import { invitationQueries, teamQueries } from './team-queries.ts'

export type TeamRole = MembershipRow['role']

/** A person of an account. */
interface MemberOf {
  account_id: number
  person_id: number
}

/** What happens to the usable keys of a person who may no longer have keys: revocation, or handover to another person. */
export type KeyHandling = { revoke: true } | { to_person_id: number }

/** A request to change or remove a person. */
export interface TeamChange {
  /** Required if the person has usable keys. */
  keys?: KeyHandling | undefined
  /** True for operators, who may leave an account without an owner. */
  may_end_owners: boolean
  now_ms: number
}

/** @throws GatewayError not_found if the person is not in the account */
export async function memberOf(db: Db, of: MemberOf): Promise<{ person: PersonRow; role: TeamRole }> {
  const found = await teamQueries(db).member.get({ ...of })
  if (!found) throw notFound('Person not found in this account. See its team.', { param: 'person' })
  return found
}

/**
 * Adds a person to an account, in a transaction that has locked the account.
 *
 * @throws GatewayError conflict if the person is a member: the invitation remains for its recipient
 */
export async function addMember(
  tx: Tx,
  { account_id, person_id, role }: MemberOf & { role: TeamRole },
  now_ms: number,
): Promise<void> {
  const { member, insert } = teamQueries(tx)
  if (await member.get({ account_id, person_id }))
    throw conflict('You are in this account already. Pass the link on to the person it is for.', {
      code: 'is_member',
    })
  await insert.run({ account_id, person_id, role, created_at_ms: now_ms })
}

/**
 * Changes a person's role, in a transaction that has locked the account. Applies to their next request, and to a running one that has not written.
 *
 * @throws GatewayError not_found; conflict last_owner, or keys_left if a person with usable keys gets the role billing
 */
export async function changeRole(tx: Tx, of: MemberOf, role: TeamRole, change: TeamChange): Promise<void> {
  const { person, role: before } = await memberOf(tx, of)
  if (before === role) return
  if (before === 'owner') await refuseLastOwner(tx, of, change)
  const keys = role === 'billing' ? await releaseKeys(tx, of, change) : undefined
  if (before === 'owner') await endInvitationsBy(tx, of)
  await teamQueries(tx).setRole.run({ ...of, role })
  const { name } = person
  const { account_id } = of
  await recordAction(tx, {
    action: 'member.changed',
    account_id,
    before: { name, role: before },
    after: { name, role, ...keys },
  })
}

/**
 * Removes a person from an account and ends their sessions there, in a transaction that has locked the account. Their other accounts stay.
 *
 * @throws GatewayError not_found; conflict last_owner, keys_left
 */
export async function removeMember(tx: Tx, of: MemberOf, change: TeamChange): Promise<void> {
  const { person, role } = await memberOf(tx, of)
  if (role === 'owner') await refuseLastOwner(tx, of, change)
  const keys = await releaseKeys(tx, of, change)
  const { remove, endSessions } = teamQueries(tx)
  await remove.run({ ...of })
  await removePersonBudgets(tx, of)
  if (role === 'owner') await endInvitationsBy(tx, of)
  const ended = await endSessions.all({ ...of })
  await recordAction(tx, {
    action: 'member.removed',
    account_id: of.account_id,
    before: { name: person.name, role },
    after: { ended_sessions: ended.length, ...keys },
  })
}

/**
 * Sets the common spend limits of all keys of a person in an account, in a transaction that has locked the account.
 *
 * @throws GatewayError not_found; invalid_request for an invalid limit
 */
export async function limitMember(
  tx: Tx,
  of: MemberOf,
  changes: BudgetChanges,
  now_ms: number,
): Promise<void> {
  const { person } = await memberOf(tx, of)
  const difference = await setBudgets(tx, { ...of, key_id: null }, changes, now_ms)
  if (!difference) return
  const { name } = person
  await recordAction(tx, {
    action: 'member.limited',
    account_id: of.account_id,
    before: { name, ...difference.before },
    after: { name, ...difference.after },
  })
}

/** Gives a key to another person of its account, or to the account, in a transaction that has locked the account. @throws GatewayError not_found */
export async function handOverKey(tx: Tx, key: Key, person_id: number | null): Promise<void> {
  if (key.person_id === person_id) return
  const { id: key_id, account_id } = key
  if (person_id !== null) await requireKeyHolder(tx, { account_id, person_id })
  await teamQueries(tx).setPerson.run({ id: key_id, person_id })
  await recordAction(tx, {
    action: 'key.handed_over',
    account_id,
    key_id,
    before: { person: await nameOf(tx, account_id, key.person_id) },
    after: { person: await nameOf(tx, account_id, person_id) },
  })
}

/** Revokes the open invitations by a former owner, who could use a link to become an owner again. */
async function endInvitationsBy(tx: Tx, { account_id, person_id }: MemberOf): Promise<void> {
  const { idsBy } = invitationQueries(tx)
  for (const { id } of await idsBy.all({ account_id, invited_by: person_id }))
    await revokeInvitation(tx, account_id, id)
}

async function nameOf(tx: Tx, account_id: number, person_id: number | null): Promise<string | null> {
  if (person_id === null) return null
  return (await teamQueries(tx).member.get({ account_id, person_id }))?.person.name ?? null
}

async function refuseLastOwner(tx: Tx, of: MemberOf, { may_end_owners }: TeamChange): Promise<void> {
  if (may_end_owners) return
  const { owners = 0 } = (await teamQueries(tx).otherOwners.get({ ...of })) ?? {}
  if (owners === 0)
    throw conflict('This is the last owner of the account. Make somebody else an owner first.', {
      code: 'last_owner',
    })
}

/** Revokes or hands over the person's usable keys. @returns the result for the audit log */
async function releaseKeys(tx: Tx, of: MemberOf, { keys: left, now_ms }: TeamChange) {
  const { usableKeys, leaveKeys } = teamQueries(tx)
  const usable: Key[] = await usableKeys.all({ ...of, now_ms })
  if (usable.length > 0 && left === undefined) throw keysLeft(usable.length)
  if (left && 'to_person_id' in left && left.to_person_id === of.person_id)
    throw invalidRequest('keys_to: must be another person.', { param: 'keys_to' })
  for (const key of usable)
    if (left && 'to_person_id' in left && !isOfConsole(key)) await handOverKey(tx, key, left.to_person_id)
    else await revokeKey(tx, String(key.id), now_ms)
  await leaveKeys.run({ ...of })
  const names = usable.map(({ name }) => name)
  if (names.length === 0) return {}
  return left && 'to_person_id' in left ? { keys_handed_over: names } : { keys_revoked: names }
}

/** The text of a console key is discarded, so another person could not use it. */
const isOfConsole = ({ name, person_id }: Key): boolean => name === `${CONSOLE_KEY}-${person_id}`

const keysLeft = (count: number) =>
  conflict(
    `This person has ${count} API ${count === 1 ? 'key that works' : 'keys that work'}. Choose whether to revoke them or to hand them over to another person.`,
    { code: 'keys_left', param: 'keys' },
  )
