// The queries on people, their accounts and the staff, prepared once for each connection.
import { and, asc, isNull, sql } from 'drizzle-orm'
import { equals, placeholders } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { memberships, people, staff } from '../store/schema.ts'

const { placeholder } = sql

export const peopleQueries = perConnection({
  insert: (orm) =>
    orm
      .insert(people)
      .values(placeholders('account_id', 'name', 'created_at_ms'))
      .returning()
      .prepare(),
  byId: (orm) => orm.select().from(people).where(equals(people.id, 'id')).prepare(),
  byEmail: (orm) => orm.select().from(people).where(equals(people.email, 'email')).prepare(),
  /** The first who owns an account and can sign in. */
  ownerOf: (orm) =>
    orm
      .select({ person: people })
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
      .prepare(),
  /** The first operator who can sign in. */
  operator: (orm) =>
    orm
      .select({ person: people })
      .from(staff)
      .innerJoin(people, sql`${people.id} = ${staff.person_id}`)
      .where(sql`${staff.role} = 'operator' AND ${people.disabled_at_ms} IS NULL`)
      .orderBy(asc(staff.id))
      .limit(1)
      .prepare(),
  /** A person as one of the operators. */
  asOperator: (orm) =>
    orm
      .select({ person: people })
      .from(staff)
      .innerJoin(people, sql`${people.id} = ${staff.person_id}`)
      .where(
        sql`${staff.person_id} = ${placeholder('person_id')} AND ${staff.role} = 'operator' AND ${people.disabled_at_ms} IS NULL`,
      )
      .prepare(),
  /** A person as an owner of an account; of the first one where the account is null. */
  asOwner: (orm) =>
    orm
      .select({ person: people, account_id: memberships.account_id })
      .from(memberships)
      .innerJoin(people, sql`${people.id} = ${memberships.person_id}`)
      .where(
        sql`${memberships.person_id} = ${placeholder('person_id')} AND ${memberships.role} = 'owner' AND ${people.disabled_at_ms} IS NULL
          AND ${memberships.account_id} = coalesce(CAST(${placeholder('account_id')} AS BIGINT), ${memberships.account_id})`,
      )
      .orderBy(asc(memberships.id))
      .limit(1)
      .prepare(),
  insertMembership: (orm) =>
    orm
      .insert(memberships)
      .values(placeholders('person_id', 'account_id', 'role', 'created_at_ms'))
      .prepare(),
  insertStaff: (orm) =>
    orm
      .insert(staff)
      .values(placeholders('person_id', 'role', 'created_at_ms'))
      .prepare(),
})
