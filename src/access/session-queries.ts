// Queries on passwords, sessions, sign-in links and known addresses, prepared once per connection.
import { and, desc, lt, lte, ne, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import {
  equals,
  isOneOfUnlessNull,
  placeholder,
  placeholders,
  rawPlaceholder,
  rawPlaceholders,
} from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { identities, known_addresses, passkeys, passwords, sessions, sign_in_links } from '../store/schema.ts'

/** Whether a person belongs only to this account. Other accounts that are closed do not count, since people cannot enter them. */
const isOfAccountAlone = (person_id: SQLiteColumn): SQL =>
  sql`${person_id} IN (SELECT person_id FROM memberships WHERE account_id = ${placeholder('account_id')}
    EXCEPT SELECT person_id FROM memberships WHERE account_id <> ${placeholder('account_id')}
      AND account_id NOT IN (SELECT account_id FROM closed_accounts)
    EXCEPT SELECT person_id FROM staff)`

/** Equality that also holds for two nulls. */
const is = (column: SQLiteColumn, name: string): SQL =>
  sql`${column} IS NOT DISTINCT FROM ${placeholder(name)}`

export const passwordQueries = perConnection({
  ofPerson: (orm) => orm.select().from(passwords).where(equals(passwords.person_id, 'person_id')),
  insert: (orm) => orm.insert(passwords).values(placeholders('person_id', 'hash', 'set_at_ms')),
  anyImported: (orm) =>
    orm.select({ id: passwords.id }).from(passwords).where(sql`${passwords.hash} LIKE '$2%'`).limit(1),
  remove: (orm) => orm.delete(passwords).where(equals(passwords.person_id, 'person_id')),
  /** Of people who are in no other account. */
  removeOfAccount: (orm) => orm.delete(passwords).where(isOfAccountAlone(passwords.person_id)),
})

export const identityQueries = perConnection({
  removeOfPerson: (orm) => orm.delete(identities).where(equals(identities.person_id, 'person_id')),
  /** Of people who are in no other account. */
  removeOfAccount: (orm) => orm.delete(identities).where(isOfAccountAlone(identities.person_id)),
})

export const passkeyQueries = perConnection({
  removeOfPerson: (orm) => orm.delete(passkeys).where(equals(passkeys.person_id, 'person_id')),
  /** Of people who are in no other account. */
  removeOfAccount: (orm) => orm.delete(passkeys).where(isOfAccountAlone(passkeys.person_id)),
})

/** Sessions of a person, or of one key. */
const ofOwner = () => and(is(sessions.person_id, 'person_id'), is(sessions.key_id, 'key_id'))

/** Sessions of a person, and of the keys that they see in their current account. */
const ofPerson = () =>
  sql`(${equals(sessions.person_id, 'person_id')} OR (${sessions.person_id} IS NULL AND ${equals(sessions.account_id, 'account_id')}
    AND ${isOneOfUnlessNull(sessions.key_id, 'key_ids')}))`

/** Used with `pageValues`. */
const onPage = () => lt(sessions.id, placeholder('below_id'))

export const sessionQueries = perConnection({
  insert: (orm) =>
    orm
      .insert(sessions)
      .values({
        ...placeholders('sha256', 'role', 'account_id', 'person_id', 'key_id', 'address', 'user_agent'),
        ...placeholders('proof', 'confirmed_at_ms'),
        ...placeholders('identity_id', 'provider_session'),
        expires_at_ms: placeholder('expires_at_ms'),
        created_at_ms: placeholder('now_ms'),
        last_seen_at_ms: placeholder('now_ms'),
      })
      .returning(),
  byHash: (orm) => orm.select().from(sessions).where(equals(sessions.sha256, 'sha256')),
  byId: (orm) => orm.select().from(sessions).where(equals(sessions.id, 'id')),
  all: (orm) =>
    orm.select().from(sessions).where(onPage()).orderBy(desc(sessions.id)).limit(placeholder('row_limit')),
  ofPerson: (orm) =>
    orm
      .select()
      .from(sessions)
      .where(and(ofPerson(), onPage()))
      .orderBy(desc(sessions.id))
      .limit(placeholder('row_limit')),
  ofKey: (orm) =>
    orm
      .select()
      .from(sessions)
      .where(and(equals(sessions.key_id, 'key_id'), onPage()))
      .orderBy(desc(sessions.id))
      .limit(placeholder('row_limit')),
  /** Writes nothing if the session was touched a short time ago. */
  touch: (orm) =>
    orm
      .update(sessions)
      .set({ last_seen_at_ms: rawPlaceholder('now_ms'), expires_at_ms: rawPlaceholder('expires_at_ms') })
      .where(and(equals(sessions.id, 'id'), lte(sessions.last_seen_at_ms, placeholder('before_ms')))),
  /** Sets the time of a new proof, and a new token. */
  confirm: (orm) =>
    orm
      .update(sessions)
      .set(rawPlaceholders('sha256', 'confirmed_at_ms'))
      .where(equals(sessions.id, 'id'))
      .returning(),
  moveTo: (orm) =>
    orm
      .update(sessions)
      .set(rawPlaceholders('sha256', 'account_id', 'role'))
      .where(equals(sessions.id, 'id'))
      .returning(),
  remove: (orm) => orm.delete(sessions).where(equals(sessions.id, 'id')).returning({ id: sessions.id }),
  /** Removes all sessions of a person or a key except one. */
  removeOthers: (orm) =>
    orm
      .delete(sessions)
      .where(and(ofOwner(), ne(sessions.id, placeholder('id'))))
      .returning({ id: sessions.id }),
  /** Removes all sessions of a person and of the account's keys except one. */
  removeOfPerson: (orm) =>
    orm
      .delete(sessions)
      .where(and(ofPerson(), ne(sessions.id, placeholder('id'))))
      .returning({ id: sessions.id }),
  removeOfAccount: (orm) => orm.delete(sessions).where(equals(sessions.account_id, 'account_id')),
  /** Removes all sessions of a person or a key except the newest ones. */
  removeOldest: (orm) =>
    orm.delete(sessions).where(
      and(
        ofOwner(),
        sql`${sessions.id} <= (SELECT id FROM sessions WHERE ${ofOwner()}
            ORDER BY id DESC LIMIT 1 OFFSET ${placeholder('kept')})`,
      ),
    ),
  removeExpired: (orm) => orm.delete(sessions).where(lte(sessions.expires_at_ms, placeholder('now_ms'))),
  removeAll: (orm) => orm.delete(sessions),
})

const ofPersonAndPurpose = () =>
  and(equals(sign_in_links.person_id, 'person_id'), equals(sign_in_links.purpose, 'purpose'))

export const linkQueries = perConnection({
  insert: (orm) =>
    orm.insert(sign_in_links).values({
      ...placeholders('sha256', 'person_id', 'purpose', 'email', 'expires_at_ms'),
      created_at_ms: placeholder('now_ms'),
    }),
  byHash: (orm) => orm.select().from(sign_in_links).where(equals(sign_in_links.sha256, 'sha256')),
  ofPurpose: (orm) => orm.select().from(sign_in_links).where(ofPersonAndPurpose()),
  removeOfPurpose: (orm) => orm.delete(sign_in_links).where(ofPersonAndPurpose()),
  remove: (orm) =>
    orm.delete(sign_in_links).where(equals(sign_in_links.id, 'id')).returning({ id: sign_in_links.id }),
  removeOfPerson: (orm) => orm.delete(sign_in_links).where(equals(sign_in_links.person_id, 'person_id')),
  /** Of people who are in no other account. */
  removeOfAccount: (orm) => orm.delete(sign_in_links).where(isOfAccountAlone(sign_in_links.person_id)),
  removeExpired: (orm) =>
    orm.delete(sign_in_links).where(lte(sign_in_links.expires_at_ms, placeholder('now_ms'))),
  removeAll: (orm) => orm.delete(sign_in_links),
})

const atPlace = () =>
  and(equals(known_addresses.person_id, 'person_id'), equals(known_addresses.place, 'place'))

export const knownAddressQueries = perConnection({
  find: (orm) => orm.select().from(known_addresses).where(atPlace()),
  insert: (orm) => orm.insert(known_addresses).values(placeholders('person_id', 'place', 'signed_in_at_ms')),
  remove: (orm) => orm.delete(known_addresses).where(atPlace()),
  removeOfPerson: (orm) => orm.delete(known_addresses).where(equals(known_addresses.person_id, 'person_id')),
  /** Removes all addresses of a person except the newest ones. */
  removeOldest: (orm) =>
    orm.delete(known_addresses).where(
      and(
        equals(known_addresses.person_id, 'person_id'),
        sql`${known_addresses.id} <= (SELECT id FROM known_addresses
            WHERE ${equals(known_addresses.person_id, 'person_id')}
            ORDER BY id DESC LIMIT 1 OFFSET ${placeholder('kept')})`,
      ),
    ),
  removeOlder: (orm) =>
    orm.delete(known_addresses).where(lte(known_addresses.signed_in_at_ms, placeholder('until_ms'))),
})
