// People who sign in to the console: found by what they type, and made where an account or the gateway has nobody yet.
import { desc, inArray, isNull, sql } from 'drizzle-orm'
import type { Db, Tx } from '../store/db.ts'
import { type MembershipRow, memberships, type PersonRow, people, type StaffRow } from '../store/schema.ts'
import { OPERATORS_NAME } from './accounts.ts'
import { peopleQueries } from './people-queries.ts'
import { accountQueries } from './queries.ts'

/** A person, and where they come in. */
export interface PersonIn {
  person: PersonRow
  /** Null: the operators' side of the console. */
  account_id: number | null
}

/** The identity at another provider that opens a session. */
export interface OpeningIdentity {
  id: number
  /** The name of the provider's own session; null where it tells none. */
  provider_session: string | null
}

/** Whom a proof shows to be there. */
export interface ProvedPerson extends PersonIn {
  /** Of a proof by another provider. */
  identity?: OpeningIdentity
}

/** A person with their role on the operators' side. */
interface Operating {
  side: 'operator'
  role: StaffRow['role']
  person: PersonRow
}

/** A person with their role in an account. */
interface Belonging {
  side: 'account'
  role: MembershipRow['role']
  person: PersonRow
}

/** The first operator who can sign in; undefined if there is none yet. */
const firstOperator = async (db: Db): Promise<PersonRow | undefined> =>
  (await peopleQueries(db).operator.get())?.person

/**
 * The person of a typed name. Every name takes two queries, so that the time does not tell which ones there are.
 *
 * @param typed the name of an account, which means its first owner, there unless it is closed; or a person's address; undefined: the operator
 */
export async function personNamed(db: Db, typed: string | undefined): Promise<PersonIn | undefined> {
  const account =
    typed === undefined ? undefined : await accountQueries(db).accountByName.get({ name: typed })
  if (account) {
    const owner = await peopleQueries(db).enteringByAccount.get({ account_id: account.id })
    if (owner?.account_id === account.id) return { person: owner.person, account_id: account.id }
    return personIn(owner)
  }
  if (typed === undefined || typed.toLowerCase() === OPERATORS_NAME) {
    const person = await firstOperator(db)
    return person && { person, account_id: null }
  }
  return personIn(await peopleQueries(db).enteringByEmail.get({ email: typed.toLowerCase() }))
}

/**
 * Where a person comes in: at the operators' side, or else in the first of their accounts that is active. A person who has suspended ones alone
 * comes into one of them. Undefined if nowhere, as for closed accounts.
 */
export const enteringAs = async (db: Db, person_id: number): Promise<PersonIn | undefined> =>
  personIn(await peopleQueries(db).enteringById.get({ id: person_id }))

function personIn(
  found: { person: PersonRow; staff_id: number | null; account_id: number | null } | undefined,
): PersonIn | undefined {
  if (!found) return undefined
  const { person, staff_id, account_id } = found
  if (staff_id !== null) return { person, account_id: null }
  return account_id === null ? undefined : { person, account_id }
}

/** A person of one side of the console, with their role there; undefined for somebody who is disabled, or has no right to it any more. */
export async function personAt(
  db: Db,
  { person_id, account_id }: { person_id: number; account_id: number | null },
): Promise<Operating | Belonging | undefined> {
  const { ofStaff, ofAccount } = peopleQueries(db)
  if (account_id === null) {
    const found = await ofStaff.get({ person_id })
    return found && { side: 'operator', ...found }
  }
  const found = await ofAccount.get({ person_id, account_id })
  return found && { side: 'account', ...found }
}

/** Against changes of how a person signs in, until the end of the transaction. What is decided on is read after it. */
export async function lockPerson(tx: Tx, person_id: number): Promise<void> {
  const person = await peopleQueries(tx).byId.get({ id: person_id })
  if (person) await tx.lock(person.account_id)
}

/** The first operator, who is made where there is none. In a transaction that has locked the operator. */
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
 * The first owners of accounts, who are made where there are none. In a transaction that has locked the operator: no other makes them meanwhile.
 *
 * @returns by the numbers of the accounts
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
  // The first one is the last that is set.
  return new Map(rows.map(({ account_id, person_id }) => [account_id, person_id]))
}
