// The queries on accounts and keys, prepared once for each connection.
import { and, count, desc, eq, gt, isNull, or, sql } from 'drizzle-orm'
import { given } from '../db/placeholders.ts'
import { perConnection } from '../db/prepared.ts'
import { accounts, closed_accounts, keys } from '../db/schema.ts'

const { placeholder } = sql

/** Queries on accounts. Each takes the values of its placeholders by name, and throws where one is missing. */
export const accountQueries = perConnection({
  /** No row comes back where the name is taken. */
  insertAccount: (orm) =>
    orm
      .insert(accounts)
      .values({
        name: placeholder('name'),
        status: 'active',
        balance_nanos: 0,
        held_nanos: 0,
        debt_nanos: 0,
        created_at_ms: placeholder('created_at_ms'),
      })
      .onConflictDoNothing({ target: accounts.name })
      .returning()
      .prepare(),
  listAccounts: (orm) => orm.select().from(accounts).orderBy(accounts.id).prepare(),
  accountById: (orm) =>
    orm
      .select()
      .from(accounts)
      .where(eq(accounts.id, placeholder('id')))
      .prepare(),
  accountByName: (orm) =>
    orm
      .select()
      .from(accounts)
      .where(eq(accounts.name, placeholder('name')))
      .prepare(),
  rename: (orm) =>
    orm
      .update(accounts)
      .set({ name: given('new_name') })
      .where(eq(accounts.name, placeholder('name')))
      .returning()
      .prepare(),
  setStatus: (orm) =>
    orm
      .update(accounts)
      .set({ status: given('status') })
      .where(eq(accounts.name, placeholder('name')))
      .returning()
      .prepare(),
})

/** Queries on closed accounts. */
export const closingQueries = perConnection({
  find: (orm) =>
    orm
      .select()
      .from(closed_accounts)
      .where(eq(closed_accounts.account_id, placeholder('account_id')))
      .prepare(),
  all: (orm) => orm.select().from(closed_accounts).prepare(),
  /** An account that is closed keeps its time. */
  insert: (orm) =>
    orm
      .insert(closed_accounts)
      .values({ account_id: placeholder('account_id'), closed_at_ms: placeholder('closed_at_ms') })
      .onConflictDoNothing()
      .prepare(),
  remove: (orm) =>
    orm
      .delete(closed_accounts)
      .where(eq(closed_accounts.account_id, placeholder('account_id')))
      .returning()
      .prepare(),
  /** Also those that a rotation would revoke later. */
  revokeKeys: (orm) =>
    orm
      .update(keys)
      .set({ revoked_at_ms: given('now_ms') })
      .where(
        and(
          eq(keys.account_id, placeholder('account_id')),
          or(isNull(keys.revoked_at_ms), gt(keys.revoked_at_ms, placeholder('now_ms'))),
        ),
      )
      .returning({ id: keys.id })
      .prepare(),
})

/** Queries on keys. */
export const keyQueries = perConnection({
  /** `models` and `addresses` are JSON texts or null. */
  insertKey: (orm) =>
    orm
      .insert(keys)
      .values({
        account_id: placeholder('account_id'),
        name: placeholder('name'),
        prefix: placeholder('prefix'),
        sha256: placeholder('sha256'),
        models: given('models'),
        spend_limit_nanos: placeholder('spend_limit_nanos'),
        spent_nanos: 0,
        held_nanos: 0,
        addresses: given('addresses'),
        expires_at_ms: placeholder('expires_at_ms'),
        revoked_at_ms: null,
        created_at_ms: placeholder('created_at_ms'),
      })
      .returning()
      .prepare(),
  listKeys: (orm) => orm.select().from(keys).orderBy(keys.id).prepare(),
  keysOfAccount: (orm) =>
    orm
      .select()
      .from(keys)
      .where(eq(keys.account_id, placeholder('account_id')))
      .orderBy(keys.id)
      .prepare(),
  keysCounted: (orm) =>
    orm
      .select({ keys: count() })
      .from(keys)
      .where(eq(keys.account_id, placeholder('account_id')))
      .prepare(),
  keysById: (orm) =>
    orm
      .select()
      .from(keys)
      .where(eq(keys.id, placeholder('id')))
      .prepare(),
  keysByPrefix: (orm) =>
    orm
      .select()
      .from(keys)
      .where(eq(keys.prefix, placeholder('prefix')))
      .prepare(),
  keyByHash: (orm) =>
    orm
      .select()
      .from(keys)
      .where(eq(keys.sha256, placeholder('sha256')))
      .prepare(),
  /** The account's key of this name that is not revoked at `now_ms`. */
  keyByName: (orm) =>
    orm
      .select()
      .from(keys)
      .where(
        and(
          eq(keys.account_id, placeholder('account_id')),
          eq(keys.name, placeholder('name')),
          or(isNull(keys.revoked_at_ms), gt(keys.revoked_at_ms, placeholder('now_ms'))),
        ),
      )
      .prepare(),
  /** The account's newest key of this name, revoked or not. */
  newestByName: (orm) =>
    orm
      .select()
      .from(keys)
      .where(and(eq(keys.account_id, placeholder('account_id')), eq(keys.name, placeholder('name'))))
      .orderBy(desc(keys.id))
      .limit(1)
      .prepare(),
  setSettings: (orm) =>
    orm
      .update(keys)
      .set({
        name: given('name'),
        models: given('models'),
        spend_limit_nanos: given('spend_limit_nanos'),
        addresses: given('addresses'),
        expires_at_ms: given('expires_at_ms'),
      })
      .where(eq(keys.id, placeholder('id')))
      .returning()
      .prepare(),
  setRevoked: (orm) =>
    orm
      .update(keys)
      .set({ revoked_at_ms: given('revoked_at_ms') })
      .where(eq(keys.id, placeholder('id')))
      .returning()
      .prepare(),
})
