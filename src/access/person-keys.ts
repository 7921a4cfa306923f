// Keys owned by people in an account, and the calls that a role may see.
import { notFound } from '../domain/errors.ts'
import type { Db } from '../store/db.ts'
import type { Key, MembershipRow } from '../store/schema.ts'
import { personOnSide } from './people.ts'
import { keyQueries } from './queries.ts'
import type { VisibleKeys } from './viewer.ts'

interface Membership {
  person_id: number
  account_id: number
}

/** The IDs of a person's keys in an account, including revoked keys, whose calls remain visible. */
const keyIdsOfPerson = async (db: Db, of: Membership): Promise<number[]> =>
  (await keyQueries(db).idsOfPerson.all({ ...of })).map(({ id }) => id)

/** The calls of an account that a person sees: a member only those of their own keys. */
export const visibleKeysOfPerson = async (
  db: Db,
  { role, ...of }: Membership & { role: MembershipRow['role'] },
): Promise<VisibleKeys> => (role === 'member' ? await keyIdsOfPerson(db, of) : 'account')

/** Whether a key's owner sees only their own calls. Such a key shows no more, whatever the account allows limited keys. */
export async function belongsToMember(db: Db, { person_id, account_id }: Key): Promise<boolean> {
  if (person_id === null) return false
  const person = await personOnSide(db, { person_id, account_id })
  return !person || person.role === 'member'
}

/** @throws GatewayError not_found if the person is not in the account, or has a role without keys */
export async function requireKeyHolder(db: Db, of: Membership): Promise<void> {
  const person = await personOnSide(db, of)
  if (person?.side !== 'account' || person.role === 'billing') throw noSuchPerson()
}

export const noSuchPerson = () =>
  notFound('Person not found. Name an owner or a member of the account.', { param: 'person' })
