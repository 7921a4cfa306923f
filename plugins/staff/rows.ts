// Rows of the staff: people with their role, and whether they can sign in.
import { and, asc, eq, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { HAS_SIGN_IN_WAY } from '../../src/access/people-queries.ts'
import type { Db, Orm } from '../../src/store/db.ts'
import { equals, placeholders, rawPlaceholders } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import {
  known_addresses,
  memberships,
  type PersonRow,
  passwords,
  people,
  type StaffRow,
  sessions,
  sign_in_links,
  staff,
} from '../../src/store/schema.ts'

export interface StaffPerson extends PersonRow {
  /** The number of the person's row in `staff`, in order of joining. */
  staff_id: number
  role: StaffRow['role']
  has_password: boolean
  /** Whether they have a password, a passkey or an identity. */
  has_way_in: boolean
  /** The last request of any session of the person. */
  last_seen_at_ms: number | null
}

interface FoundPerson extends Omit<StaffPerson, 'has_password' | 'has_way_in'> {
  password_id: number | null
  way_in: number
}

const staffWith = (orm: Orm, of: SQL | undefined) =>
  orm
    .select({
      ...getTableColumns(people),
      staff_id: staff.id,
      role: staff.role,
      password_id: passwords.id,
      way_in: sql<number>`CASE WHEN ${HAS_SIGN_IN_WAY} THEN 1 ELSE 0 END`.as('way_in'),
      last_seen_at_ms: sql<
        number | null
      >`(SELECT max(last_seen_at_ms) FROM sessions WHERE sessions.person_id = people.id)`.as(
        'last_seen_at_ms',
      ),
    })
    .from(staff)
    .innerJoin(people, eq(people.id, staff.person_id))
    .leftJoin(passwords, eq(passwords.person_id, people.id))
    .where(of)
    .orderBy(asc(staff.id))

export const staffQueries = perConnection({
  all: (orm) => staffWith(orm, undefined),
  byId: (orm) => staffWith(orm, equals(people.id, 'id')),
  byEmail: (orm) => staffWith(orm, equals(people.email, 'email')),
  setRole: (orm) => orm.update(staff).set(rawPlaceholders('role')).where(equals(staff.person_id, 'id')),
  remove: (orm) => orm.delete(staff).where(equals(staff.person_id, 'id')),
  setName: (orm) => orm.update(people).set(rawPlaceholders('name')).where(equals(people.id, 'id')),
  setHome: (orm) => orm.update(people).set(rawPlaceholders('account_id')).where(equals(people.id, 'id')),
  setDisabled: (orm) =>
    orm.update(people).set(rawPlaceholders('disabled_at_ms')).where(equals(people.id, 'id')),
  firstMembership: (orm) =>
    orm
      .select({ account_id: memberships.account_id })
      .from(memberships)
      .where(equals(memberships.person_id, 'id'))
      .orderBy(asc(memberships.id))
      .limit(1),
  insertPerson: (orm) =>
    orm
      .insert(people)
      .values({ account_id: null, ...placeholders('name', 'created_at_ms') })
      .returning(),
  endSessions: (orm) =>
    orm.delete(sessions).where(equals(sessions.person_id, 'id')).returning({ id: sessions.id }),
  endStaffSessions: (orm) =>
    orm
      .delete(sessions)
      .where(and(equals(sessions.person_id, 'id'), sql`${sessions.account_id} IS NULL`))
      .returning({ id: sessions.id }),
  removeLinks: (orm) => orm.delete(sign_in_links).where(equals(sign_in_links.person_id, 'id')),
  removePassword: (orm) => orm.delete(passwords).where(equals(passwords.person_id, 'id')),
  forgetAddresses: (orm) => orm.delete(known_addresses).where(equals(known_addresses.person_id, 'id')),
})

const personOf = ({ password_id, way_in, ...person }: FoundPerson): StaffPerson => ({
  ...person,
  has_password: password_id !== null,
  has_way_in: way_in === 1,
})

/** The staff in order of joining. */
export const allStaff = async (db: Db): Promise<StaffPerson[]> =>
  (await staffQueries(db).all.all()).map(personOf)

/** @param reference the number or the address of a person */
export async function findStaff(db: Db, reference: string): Promise<StaffPerson | undefined> {
  const { byId, byEmail } = staffQueries(db)
  const row: FoundPerson | undefined = /^\d{1,15}$/.test(reference)
    ? await byId.get({ id: Number(reference) })
    : await byEmail.get({ email: reference.trim().toLowerCase() })
  return row && personOf(row)
}

/** Whether the person is an operator who can sign in. */
export const canOperate = ({ role, disabled_at_ms, has_way_in }: StaffPerson): boolean =>
  role === 'operator' && disabled_at_ms === null && has_way_in
