// The queries on passwords, sessions, sign-in links and known addresses, prepared once for each connection. A null account is the operator.
import { and, desc, lt, lte, ne, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { equals, placeholders, rawPlaceholder } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { known_addresses, passwords, sessions, sign_in_links } from '../store/schema.ts'

const { placeholder } = sql

/** Equal, null to null. */
const is = (column: SQLiteColumn, name: string): SQL =>
  sql`${column} IS NOT DISTINCT FROM ${placeholder(name)}`

export const passwordQueries = perConnection({
  ofAccount: (orm) => orm.select().from(passwords).where(is(passwords.account_id, 'account_id')).prepare(),
  insert: (orm) =>
    orm
      .insert(passwords)
      .values(placeholders('account_id', 'hash', 'set_at_ms'))
      .prepare(),
  anyImported: (orm) =>
    orm
      .select({ id: passwords.id })
      .from(passwords)
      .where(sql`${passwords.hash} LIKE '$2%'`)
      .limit(1)
      .prepare(),
  remove: (orm) => orm.delete(passwords).where(is(passwords.account_id, 'account_id')).prepare(),
})

/** The sessions of a person: of the operator, of an account's password, or of one key. */
const ofPerson = () => and(is(sessions.account_id, 'account_id'), is(sessions.key_id, 'key_id'))

/** With `pageValues`. */
const onPage = () => lt(sessions.id, placeholder('below_id'))

export const sessionQueries = perConnection({
  insert: (orm) =>
    orm
      .insert(sessions)
      .values({
        ...placeholders('sha256', 'role', 'account_id', 'key_id', 'address', 'user_agent', 'expires_at_ms'),
        created_at_ms: placeholder('now_ms'),
        last_seen_at_ms: placeholder('now_ms'),
      })
      .returning()
      .prepare(),
  byHash: (orm) => orm.select().from(sessions).where(equals(sessions.sha256, 'sha256')).prepare(),
  byId: (orm) => orm.select().from(sessions).where(equals(sessions.id, 'id')).prepare(),
  all: (orm) =>
    orm
      .select()
      .from(sessions)
      .where(onPage())
      .orderBy(desc(sessions.id))
      .limit(placeholder('row_limit'))
      .prepare(),
  /** Sessions of the account's password and of its keys; of the operator where the account is null. */
  ofAccount: (orm) =>
    orm
      .select()
      .from(sessions)
      .where(and(is(sessions.account_id, 'account_id'), onPage()))
      .orderBy(desc(sessions.id))
      .limit(placeholder('row_limit'))
      .prepare(),
  ofKey: (orm) =>
    orm
      .select()
      .from(sessions)
      .where(and(is(sessions.account_id, 'account_id'), equals(sessions.key_id, 'key_id'), onPage()))
      .orderBy(desc(sessions.id))
      .limit(placeholder('row_limit'))
      .prepare(),
  /** Nothing is written where it was seen a short time ago. */
  touch: (orm) =>
    orm
      .update(sessions)
      .set({ last_seen_at_ms: rawPlaceholder('now_ms'), expires_at_ms: rawPlaceholder('expires_at_ms') })
      .where(and(equals(sessions.id, 'id'), lte(sessions.last_seen_at_ms, placeholder('before_ms'))))
      .prepare(),
  remove: (orm) =>
    orm.delete(sessions).where(equals(sessions.id, 'id')).returning({ id: sessions.id }).prepare(),
  /** All of a person but one. */
  removeOthers: (orm) =>
    orm
      .delete(sessions)
      .where(and(ofPerson(), ne(sessions.id, placeholder('id'))))
      .returning({ id: sessions.id })
      .prepare(),
  /** Of the account's password and of its keys, but one. */
  removeOfAccount: (orm) =>
    orm
      .delete(sessions)
      .where(and(is(sessions.account_id, 'account_id'), ne(sessions.id, placeholder('id'))))
      .returning({ id: sessions.id })
      .prepare(),
  /** All of a person but the newest of them. */
  removeOldest: (orm) =>
    orm
      .delete(sessions)
      .where(
        and(
          ofPerson(),
          sql`${sessions.id} <= (SELECT id FROM sessions WHERE ${ofPerson()}
            ORDER BY id DESC LIMIT 1 OFFSET ${placeholder('kept')})`,
        ),
      )
      .prepare(),
  removeExpired: (orm) =>
    orm
      .delete(sessions)
      .where(lte(sessions.expires_at_ms, placeholder('now_ms')))
      .prepare(),
  removeAll: (orm) => orm.delete(sessions).prepare(),
})

export const linkQueries = perConnection({
  insert: (orm) =>
    orm
      .insert(sign_in_links)
      .values({
        ...placeholders('sha256', 'account_id', 'expires_at_ms'),
        created_at_ms: placeholder('now_ms'),
      })
      .prepare(),
  byHash: (orm) => orm.select().from(sign_in_links).where(equals(sign_in_links.sha256, 'sha256')).prepare(),
  removeOfAccount: (orm) =>
    orm.delete(sign_in_links).where(is(sign_in_links.account_id, 'account_id')).prepare(),
  removeExpired: (orm) =>
    orm
      .delete(sign_in_links)
      .where(lte(sign_in_links.expires_at_ms, placeholder('now_ms')))
      .prepare(),
  removeAll: (orm) => orm.delete(sign_in_links).prepare(),
})

const atPlace = () => and(is(known_addresses.account_id, 'account_id'), is(known_addresses.place, 'place'))

export const knownAddressQueries = perConnection({
  find: (orm) => orm.select().from(known_addresses).where(atPlace()).prepare(),
  insert: (orm) =>
    orm
      .insert(known_addresses)
      .values(placeholders('account_id', 'place', 'signed_in_at_ms'))
      .prepare(),
  remove: (orm) => orm.delete(known_addresses).where(atPlace()).prepare(),
  removeOfAccount: (orm) =>
    orm.delete(known_addresses).where(is(known_addresses.account_id, 'account_id')).prepare(),
  /** All of a person but the newest of them. */
  removeOldest: (orm) =>
    orm
      .delete(known_addresses)
      .where(
        and(
          is(known_addresses.account_id, 'account_id'),
          sql`${known_addresses.id} <= (SELECT id FROM known_addresses
            WHERE ${is(known_addresses.account_id, 'account_id')}
            ORDER BY id DESC LIMIT 1 OFFSET ${placeholder('kept')})`,
        ),
      )
      .prepare(),
  removeOlder: (orm) =>
    orm
      .delete(known_addresses)
      .where(lte(known_addresses.signed_in_at_ms, placeholder('until_ms')))
      .prepare(),
})
