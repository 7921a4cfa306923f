// Queries on the people of an account and on invitations, prepared once per connection.
import { and, desc, eq, gt, isNull, lt, lte, type SQL, sql } from 'drizzle-orm'
import type { Orm } from '../store/db.ts'
import { NEWEST_HOLD_SQL } from '../store/newest-hold.ts'
import { equals, placeholder, placeholders, rawPlaceholders } from '../store/placeholders.ts'
import { perAccount, perConnection } from '../store/prepared.ts'
import { accounts, actions, invitations, keys, memberships, people, sessions } from '../store/schema.ts'
import { isInOpenAccount } from './people-queries.ts'

const ofMember = () =>
  and(equals(memberships.person_id, 'person_id'), equals(memberships.account_id, 'account_id'))

/** Keys that are neither revoked nor expired. */
const isUsable = () =>
  sql`(${keys.revoked_at_ms} IS NULL OR ${keys.revoked_at_ms} > ${placeholder('now_ms')})
    AND (${keys.expires_at_ms} IS NULL OR ${keys.expires_at_ms} > ${placeholder('now_ms')})`

const ofKeys = () => and(equals(keys.person_id, 'person_id'), equals(keys.account_id, 'account_id'))

export const teamQueries = perConnection({
  insert: (orm) =>
    orm.insert(memberships).values(placeholders('person_id', 'account_id', 'role', 'created_at_ms')),
  setRole: (orm) => orm.update(memberships).set(rawPlaceholders('role')).where(ofMember()),
  remove: (orm) => orm.delete(memberships).where(ofMember()),
  /** A person of the account, also if they cannot sign in. */
  member: (orm) =>
    orm
      .select({ person: people, role: memberships.role })
      .from(memberships)
      .innerJoin(people, eq(people.id, memberships.person_id))
      .where(ofMember()),
  byEmail: (orm) =>
    orm
      .select({ person_id: people.id })
      .from(memberships)
      .innerJoin(people, eq(people.id, memberships.person_id))
      .where(and(equals(memberships.account_id, 'account_id'), equals(people.email, 'email'))),
  /** The number of owners who can sign in, except one person. */
  otherOwners: (orm) =>
    orm
      .select({ owners: sql<number>`count(*)` })
      .from(memberships)
      .innerJoin(people, eq(people.id, memberships.person_id))
      .where(
        and(
          equals(memberships.account_id, 'account_id'),
          sql`${memberships.role} = 'owner' AND ${memberships.person_id} <> ${placeholder('person_id')}`,
          isNull(people.disabled_at_ms),
        ),
      ),
  usableKeys: (orm) => orm.select().from(keys).where(and(ofKeys(), isUsable())).orderBy(keys.id),
  /** The key's spend counts for the person from the next hold on. */
  setPerson: (orm) =>
    orm
      .update(keys)
      .set({
        ...rawPlaceholders('person_id'),
        person_from_hold_id: sql.raw(`(SELECT ${NEWEST_HOLD_SQL}) + 1`),
      })
      .where(equals(keys.id, 'id')),
  /** The person's remaining keys become the account's. */
  leaveKeys: (orm) => orm.update(keys).set({ person_id: null }).where(ofKeys()),
  endSessions: (orm) =>
    orm
      .delete(sessions)
      .where(and(equals(sessions.person_id, 'person_id'), equals(sessions.account_id, 'account_id')))
      .returning({ id: sessions.id }),
  /** The open accounts of a person, in the order of joining. */
  accountsOf: (orm) =>
    orm
      .select({ account: accounts, role: memberships.role })
      .from(memberships)
      .innerJoin(accounts, eq(accounts.id, memberships.account_id))
      .where(and(equals(memberships.person_id, 'person_id'), isInOpenAccount()))
      .orderBy(memberships.id),
})

/** Members with the last use of their sessions and the number of their usable keys. */
const membersWhere = (orm: Orm, account?: SQL) =>
  orm
    .select({
      id: memberships.id,
      account_id: memberships.account_id,
      account_name: accounts.name,
      person_id: memberships.person_id,
      role: memberships.role,
      joined_at_ms: memberships.created_at_ms,
      name: people.name,
      email: people.email,
      email_verified_at_ms: people.email_verified_at_ms,
      disabled_at_ms: people.disabled_at_ms,
      last_seen_at_ms: sql<number | null>`(SELECT max(last_seen_at_ms) FROM sessions
        WHERE sessions.person_id = memberships.person_id AND sessions.account_id = memberships.account_id)`,
      keys: sql<number>`(SELECT count(*) FROM keys
        WHERE keys.person_id = memberships.person_id AND keys.account_id = memberships.account_id AND ${isUsable()})`,
    })
    .from(memberships)
    .innerJoin(people, eq(people.id, memberships.person_id))
    .innerJoin(accounts, eq(accounts.id, memberships.account_id))
    .where(and(account, lt(memberships.id, placeholder('below_id'))))
    .orderBy(desc(memberships.id))
    .limit(placeholder('row_limit'))

const invitationsWhere = (orm: Orm, account?: SQL) =>
  orm
    .select({
      id: invitations.id,
      account_id: invitations.account_id,
      account_name: accounts.name,
      email: invitations.email,
      role: invitations.role,
      is_mailed: invitations.is_mailed,
      created_at_ms: invitations.created_at_ms,
      expires_at_ms: invitations.expires_at_ms,
    })
    .from(invitations)
    .innerJoin(accounts, eq(accounts.id, invitations.account_id))
    .where(
      and(
        account,
        lt(invitations.id, placeholder('below_id')),
        gt(invitations.expires_at_ms, placeholder('now_ms')),
      ),
    )
    .orderBy(desc(invitations.id))
    .limit(placeholder('row_limit'))

export const teamLists = perAccount((account) => ({
  members: (orm: Orm) => membersWhere(orm, account(memberships)),
  invitations: (orm: Orm) => invitationsWhere(orm, account(invitations)),
}))

export const invitationQueries = perConnection({
  insert: (orm) =>
    orm
      .insert(invitations)
      .values(
        placeholders(
          'account_id',
          'email',
          'role',
          'sha256',
          'is_mailed',
          'invited_by',
          'created_at_ms',
          'expires_at_ms',
        ),
      )
      .returning(),
  byHash: (orm) => orm.select().from(invitations).where(equals(invitations.sha256, 'sha256')),
  byId: (orm) =>
    orm
      .select()
      .from(invitations)
      .where(and(equals(invitations.id, 'id'), equals(invitations.account_id, 'account_id'))),
  ofEmail: (orm) =>
    orm
      .select()
      .from(invitations)
      .where(and(equals(invitations.account_id, 'account_id'), equals(invitations.email, 'email'))),
  idsBy: (orm) =>
    orm
      .select({ id: invitations.id })
      .from(invitations)
      .where(and(equals(invitations.account_id, 'account_id'), equals(invitations.invited_by, 'invited_by'))),
  removeBy: (orm) =>
    orm
      .delete(invitations)
      .where(equals(invitations.invited_by, 'invited_by'))
      .returning({ id: invitations.id }),
  remove: (orm) => orm.delete(invitations).where(equals(invitations.id, 'id')),
  removeOfAccount: (orm) => orm.delete(invitations).where(equals(invitations.account_id, 'account_id')),
  removeExpired: (orm) =>
    orm.delete(invitations).where(lte(invitations.expires_at_ms, placeholder('now_ms'))),
  removeAll: (orm) => orm.delete(invitations),
  /** The number of invitations that people of an account sent since a time, also of used and revoked ones. */
  countSince: (orm) =>
    orm
      .select({ invited: sql<number>`count(*)` })
      .from(actions)
      .where(
        and(
          equals(actions.account_id, 'account_id'),
          sql`${actions.action} = 'member.invited' AND ${actions.actor} = 'account'`,
          gt(actions.created_at_ms, placeholder('since_ms')),
        ),
      ),
})
