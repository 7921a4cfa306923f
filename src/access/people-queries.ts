// Queries on people, their accounts and the staff, prepared once per connection.
import { and, asc, isNull, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Orm } from '../store/db.ts'
import { equals, placeholder, placeholders, rawPlaceholders } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { accounts, closed_accounts, memberships, people, staff } from '../store/schema.ts'

/**
 * Whether a person has a password, a passkey or an identity. An identity counts even if its provider is no longer configured, since commands do
 * not know the settings of plugins.
 */
export const HAS_SIGN_IN_WAY = sql.raw(
  `(${['passwords', 'passkeys', 'identities'].map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.person_id = people.id)`).join(' OR ')})`,
)

export const isOfOpenAccount = (account_id: SQLiteColumn): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM ${closed_accounts} WHERE ${closed_accounts.account_id} = ${account_id})`

/** People cannot enter a closed account. */
export const isInOpenAccount = (): SQL => isOfOpenAccount(memberships.account_id)

/**
 * A person who can sign in, with their staff row and the account that they enter: the first active one, or else a suspended one, never a closed one.
 *
 * @param first expressions with precedence in the order
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

/** The first owner of an account who can sign in. */
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
  /** The account's first owner, entering this account. */
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
  /** An operator with a way to sign in. */
  operatorWithWayIn: (orm) =>
    orm
      .select({ person_id: staff.person_id })
      .from(staff)
      .innerJoin(people, sql`${people.id} = ${staff.person_id}`)
      .where(sql`${staff.role} = 'operator' AND ${people.disabled_at_ms} IS NULL AND ${HAS_SIGN_IN_WAY}`)
      .limit(1),
  /** A person with their staff role. */
  ofStaff: (orm) =>
    orm
      .select({ person: people, role: staff.role })
      .from(staff)
      .innerJoin(people, sql`${people.id} = ${staff.person_id}`)
      .where(sql`${staff.person_id} = ${placeholder('person_id')} AND ${people.disabled_at_ms} IS NULL`),
  /** A person with their role in an account that is not closed. */
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
