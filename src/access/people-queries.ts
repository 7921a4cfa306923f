// The queries on people, their accounts and the staff, prepared once for each connection.
import { and, asc, isNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Orm } from '../store/db.ts'
import { equals, placeholder, placeholders, rawPlaceholders } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { accounts, closed_accounts, memberships, people, staff } from '../store/schema.ts'

/**
 * Whether a person has a password, a passkey or an identity. Commands ask for it, too, and know no plugin's settings: an identity counts also where
 * its provider is not configured any more.
 */
export const HAS_WAY_IN = sql.raw(
  `(${['passwords', 'passkeys', 'identities'].map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.person_id = people.id)`).join(' OR ')})`,
)

/** Whether a row is of an account that is not closed. */
export const isOfOpenAccount = (account_id: SQLiteColumn): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${closed_accounts} WHERE ${closed_accounts.account_id} = ${account_id})`

/** Nobody comes into a closed account, also one who is in others. */
export const isInOpenAccount = (): SQL => isOfOpenAccount(memberships.account_id)

/**
 * People who can sign in, each with whether they are of the staff, and their account: the first active one, or else a suspended one; a closed one
 * is none.
 *
 * @param first what comes before these in the order
 */
const entering = (orm: Orm, of: SQL, ...first: SQL[]) =>
  orm
    .select({ person: people, staff_id: staff.id, account_id: memberships.account_id })
    .from(people)
    .leftJoin(staff, sql`${staff.person_id} = ${people.id}`)
    .leftJoin(memberships, and(sql`${memberships.person_id} = ${people.id}`, isInOpenAccount()))
    .leftJoin(accounts, sql`${accounts.id} = ${memberships.account_id}`)
    .where(and(of, isNull(people.disabled_at_ms)))
    .orderBy(...first, sql`CASE ${accounts.status} WHEN 'active' THEN 0 ELSE 1 END`, asc(memberships.id))
    .limit(1)

/** The first who owns an account and can sign in. */
const ownerOf = (orm: Orm) =>
  orm
    .select({ id: people.id })
    .from(memberships)
    .innerJoin(people, sql`${people.id} = ${memberships.person_id}`)
    .where(
      and(
        equals(memberships.account_id, 'account_id'),
        sql`${memberships.role} = 'owner'`,
        isNull(people.disabled_at_ms),
      ),
    )
    .orderBy(asc(memberships.id))
    .limit(1)

export const peopleQueries = perConnection({
  insert: (orm) =>
    orm
      .insert(people)
      .values(placeholders('account_id', 'name', 'created_at_ms'))
      .returning(),
  byId: (orm) => orm.select().from(people).where(equals(people.id, 'id')),
  enteringById: (orm) => entering(orm, equals(people.id, 'id')),
  enteringByEmail: (orm) => entering(orm, equals(people.email, 'email')),
  /** Of its first owner, who comes into this account. */
  enteringByAccount: (orm) =>
    entering(
      orm,
      sql`${people.id} = ${ownerOf(orm)}`,
      sql`CASE ${memberships.account_id} WHEN CAST(${placeholder('account_id')} AS bigint) THEN 0 ELSE 1 END`,
    ),
  byEmail: (orm) => orm.select().from(people).where(equals(people.email, 'email')),
  setEmail: (orm) =>
    orm.update(people).set(rawPlaceholders('email', 'email_verified_at_ms')).where(equals(people.id, 'id')),
  setName: (orm) => orm.update(people).set(rawPlaceholders('name')).where(equals(people.id, 'id')),
  /** The first operator who can sign in. */
  operator: (orm) =>
    orm
      .select({ person: people })
      .from(staff)
      .innerJoin(people, sql`${people.id} = ${staff.person_id}`)
      .where(sql`${staff.role} = 'operator' AND ${people.disabled_at_ms} IS NULL`)
      .orderBy(asc(staff.id))
      .limit(1),
  /** An operator who has a way to sign in. */
  operatorWithWayIn: (orm) =>
    orm
      .select({ person_id: staff.person_id })
      .from(staff)
      .innerJoin(people, sql`${people.id} = ${staff.person_id}`)
      .where(sql`${staff.role} = 'operator' AND ${people.disabled_at_ms} IS NULL AND ${HAS_WAY_IN}`)
      .limit(1),
  /** A person as one of the staff. */
  ofStaff: (orm) =>
    orm
      .select({ person: people, role: staff.role })
      .from(staff)
      .innerJoin(people, sql`${people.id} = ${staff.person_id}`)
      .where(sql`${staff.person_id} = ${placeholder('person_id')} AND ${people.disabled_at_ms} IS NULL`),
  /** A person as one of an account that is not closed. */
  ofAccount: (orm) =>
    orm
      .select({ person: people, role: memberships.role })
      .from(memberships)
      .innerJoin(people, sql`${people.id} = ${memberships.person_id}`)
      .where(
        sql`${memberships.person_id} = ${placeholder('person_id')} AND ${people.disabled_at_ms} IS NULL
          AND ${memberships.account_id} = ${placeholder('account_id')} AND ${isInOpenAccount()}`,
      ),
  insertStaff: (orm) => orm.insert(staff).values(placeholders('person_id', 'role', 'created_at_ms')),
})
