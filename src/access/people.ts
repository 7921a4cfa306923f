// People who sign in to the console: found by the name that they type; the first operator and owners are created when they are missing.
import { desc, inArray, isNull, sql } from 'drizzle-orm'
import type { Db, Tx } from '../store/db.ts'
import { type MembershipRow, memberships, type PersonRow, people, type StaffRow } from '../store/schema.ts'
import { OPERATORS_NAME } from './accounts.ts'
import { peopleQueries } from './people-queries.ts'
import { accountQueries } from './queries.ts'

/** A person and the side of the console that they enter. */
export interface Entrance {
  person: PersonRow
  /** Null: the operators' side of the console. */
  account_id: number | null
}

/** The identity at an identity provider that opens a session. */
export interface OpeningIdentity {
  id: number
  /** The provider's session ID; null if it reports none. */
  provider_session: string | null
}

/** The person that a proof identifies. */
export interface ProvedPerson extends Entrance {
  /** Present for a proof by an identity provider. */
  identity?: OpeningIdentity
}

/** A person with their role in the staff. */
interface StaffPerson {
  side: 'operator'
  role: StaffRow['role']
  person: PersonRow
}

/** A person with their role in an account. */
interface AccountPerson {
  side: 'account'
  role: MembershipRow['role']
  person: PersonRow
}

/** The first operator who can sign in; undefined without one. */
const firstOperator = async (db: Db): Promise<PersonRow | undefined> =>
  (await peopleQueries(db).operator.get())?.person

/**
 * Finds the person of a typed name. Every name takes two queries, so that the time does not reveal which names exist.
 *
 * @param typed an account's name, for its first owner, who enters this account unless it is closed; a person's address; undefined for the operator
 */
export async function personNamed(db: Db, typed: string | undefined): Promise<Entrance | undefined> {
  const account =
    typed === undefined ? undefined : await accountQueries(db).accountByName.get({ name: typed })
  if (account) {
    const owner = await peopleQueries(db).enteringByAccount.get({ account_id: account.id })
    if (owner?.account_id === account.id) return { person: owner.person, account_id: account.id }
    return toEntrance(owner)
  }
  if (typed === undefined || typed.toLowerCase() === OPERATORS_NAME) {
    const person = await firstOperator(db)
    return person && { person, account_id: null }
  }
  return toEntrance(await peopleQueries(db).enteringByEmail.get({ email: typed.toLowerCase() }))
}

/**
 * Finds the side that a person enters: the operators' side, or else their first active account, or else a suspended one. Undefined if they can
 * enter none, as with closed accounts.
 */
export const entranceOf = async (db: Db, person_id: number): Promise<Entrance | undefined> =>
  toEntrance(await peopleQueries(db).enteringById.get({ id: person_id }))

function toEntrance(
  found: { person: PersonRow; staff_id: number | null; account_id: number | null } | undefined,
): Entrance | undefined {
  if (!found) return undefined
  const { person, staff_id, account_id } = found
  if (staff_id !== null) return { person, account_id: null }
  return account_id === null ? undefined : { person, account_id }
}

/** Returns a person with their role on a side of the console; undefined if they are disabled or no longer belong to it. */
export async function personOnSide(
  db: Db,
  { person_id, account_id }: { person_id: number; account_id: number | null },
): Promise<StaffPerson | AccountPerson | undefined> {
  const { ofStaff, ofAccount } = peopleQueries(db)
  if (account_id === null) {
    const found = await ofStaff.get({ person_id })
    return found && { side: 'operator', ...found }
  }
  const found = await ofAccount.get({ person_id, account_id })
  return found && { side: 'account', ...found }
}

/** Locks the ways in which a person signs in, until the end of the transaction. Read the data for decisions after this call. */
export async function lockPerson(tx: Tx, person_id: number): Promise<void> {
  const person = await peopleQueries(tx).byId.get({ id: person_id })
  if (person) await tx.lock(person.account_id)
}

/** Returns the first operator, and creates them if missing. In a transaction that has locked the operator. */
export async function requireFirstOperator(tx: Tx, now_ms: number): Promise<PersonRow> {
  const known = await firstOperator(tx)
  if (known) return known
  const { insert, insertStaff } = peopleQueries(tx)
  const person: PersonRow = await insert.get({
    account_id: null,
    name: OPERATORS_NAME,
    created_at_ms: now_ms,
  })
  await insertStaff.run({ person_id: person.id, role: 'operator', created_at_ms: now_ms })
  return person
}

/**
 * Returns the first owners of accounts, and creates missing ones. In a transaction that has locked the operator, so that no other one creates them.
 *
 * @returns person IDs by account ID
 */
export async function requireOwners(
  tx: Tx,
  accounts: readonly { account_id: number; name: string }[],
  now_ms: number,
): Promise<ReadonlyMap<number, number>> {
  const owners = await knownOwners(
    tx,
    accounts.map(({ account_id }) => account_id),
  )
  const lacking = accounts.filter(({ account_id }) => !owners.has(account_id))
  if (lacking.length === 0) return owners
  const rows = await tx.orm
    .insert(people)
    .values(lacking.map(({ account_id, name }) => ({ account_id, name, created_at_ms: now_ms })))
    .returning({ id: people.id, account_id: people.account_id })
  const made = rows.flatMap(({ id, account_id }) =>
    account_id === null ? [] : [{ person_id: id, account_id, role: 'owner' as const, created_at_ms: now_ms }],
  )
  await tx.orm.insert(memberships).values(made)
  for (const { account_id, person_id } of made) owners.set(account_id, person_id)
  return owners
}

async function knownOwners(tx: Tx, account_ids: readonly number[]): Promise<Map<number, number>> {
  const rows = await tx.orm
    .select({ account_id: memberships.account_id, person_id: memberships.person_id })
    .from(memberships)
    .innerJoin(people, sql`${people.id} = ${memberships.person_id}`)
    .where(
      sql`${inArray(memberships.account_id, [...account_ids])} AND ${memberships.role} = 'owner' AND ${isNull(people.disabled_at_ms)}`,
    )
    .orderBy(desc(memberships.id))
  // Ordered newest first, so the oldest owner is set last and wins.
  return new Map(rows.map(({ account_id, person_id }) => [account_id, person_id]))
}
