// Keys of people: those that are a person's own in an account, and what their role lets them see of the account's calls.
import { notFound } from '../domain/errors.ts'
import type { Db } from '../store/db.ts'
import type { Key, MembershipRow } from '../store/schema.ts'
import { personAt } from './people.ts'
import { keyQueries } from './queries.ts'
import type { KeySight } from './viewer.ts'

interface Belonging {
  person_id: number
  account_id: number
}

/** The numbers of a person's keys in an account, revoked ones included: their calls are still there. */
const keyIdsOfPerson = async (db: Db, of: Belonging): Promise<number[]> =>
  (await keyQueries(db).idsOfPerson.all({ ...of })).map(({ id }) => id)

/** What a person sees of an account's calls: a member those of their own keys. */
export const sightOfPerson = async (
  db: Db,
  { role, ...of }: Belonging & { role: MembershipRow['role'] },
): Promise<KeySight> => (role === 'member' ? await keyIdsOfPerson(db, of) : 'account')

/** Whether a key is of somebody who sees their own calls only, whatever the account allows limited keys: it shows no more than its person sees. */
export async function isOfMember(db: Db, { person_id, account_id }: Key): Promise<boolean> {
  if (person_id === null) return false
  const person = await personAt(db, { person_id, account_id })
  return !person || person.role === 'member'
}

/** @throws GatewayError not_found for somebody who is not in the account, or whose role has no keys */
export async function requireHolder(db: Db, of: Belonging): Promise<void> {
  const person = await personAt(db, of)
  if (person?.side !== 'account' || person.role === 'billing') throw noSuchPerson()
}

export const noSuchPerson = () =>
  notFound('Person not found. Name an owner or a member of the account.', { param: 'person' })
