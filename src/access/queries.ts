// Queries on accounts and keys, prepared once per connection.
import { and, asc, count, desc, getTableColumns, gt, isNotNull, isNull, or, sql } from 'drizzle-orm'
import { equals, placeholder, placeholders, rawPlaceholder, rawPlaceholders } from '../store/placeholders.ts'
import { perConnection } from '../store/prepared.ts'
import { accounts, closed_accounts, erased_accounts, holds, keys, people } from '../store/schema.ts'
import { isOfOpenAccount } from './people-queries.ts'

/** Queries on accounts. Each takes the values of its placeholders by name, and throws if one is missing. */
export const accountQueries = perConnection({
  /** Returns no row if the name is taken. */
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
        price_group: rawPlaceholder('price_group'),
      })
      .onConflictDoNothing()
      .returning(),
  listAccounts: (orm) => orm.select().from(accounts).orderBy(accounts.id),
  accountById: (orm) => orm.select().from(accounts).where(equals(accounts.id, 'id')),
  accountByName: (orm) => orm.select().from(accounts).where(equals(accounts.name, 'name')),
  rename: (orm) =>
    orm
      .update(accounts)
      .set({ name: rawPlaceholder('new_name') })
      .where(equals(accounts.name, 'name'))
      .returning(),
  setStatus: (orm) =>
    orm.update(accounts).set(rawPlaceholders('status')).where(equals(accounts.name, 'name')).returning(),
})

/** Queries on the price groups of accounts. */
export const groupQueries = perConnection({
  set: (orm) =>
    orm
      .update(accounts)
      .set({ price_group: rawPlaceholder('price_group') })
      .where(equals(accounts.id, 'id')),
  count: (orm) =>
    orm
      .select({ price_group: sql<string>`${accounts.price_group}`, accounts: count() })
      .from(accounts)
      .where(and(isNotNull(accounts.price_group), isOfOpenAccount(accounts.id)))
      .groupBy(accounts.price_group)
      .orderBy(asc(accounts.price_group)),
})

/** Queries on closed accounts. */
export const closingQueries = perConnection({
  find: (orm) => orm.select().from(closed_accounts).where(equals(closed_accounts.account_id, 'account_id')),
  /** A closed account keeps its time. */
  insert: (orm) =>
    orm.insert(closed_accounts).values(placeholders('account_id', 'closed_at_ms')).onConflictDoNothing(),
  remove: (orm) =>
    orm.delete(closed_accounts).where(equals(closed_accounts.account_id, 'account_id')).returning(),
  /** Including retiring keys. */
  revokeKeys: (orm) =>
    orm
      .update(keys)
      .set({ revoked_at_ms: rawPlaceholder('now_ms') })
      .where(
        and(
          equals(keys.account_id, 'account_id'),
          or(isNull(keys.revoked_at_ms), gt(keys.revoked_at_ms, placeholder('now_ms'))),
        ),
      )
      .returning({ id: keys.id }),
})

/** Queries on erased accounts. */
export const erasingQueries = perConnection({
  find: (orm) => orm.select().from(erased_accounts).where(equals(erased_accounts.account_id, 'account_id')),
  insert: (orm) => orm.insert(erased_accounts).values(placeholders('account_id', 'erased_at_ms')),
  /** Moves people who also belong to another account or the staff, so that they are not erased. */
  moveOthers: (orm) =>
    orm
      .update(people)
      .set({
        account_id: sql`(SELECT account_id FROM memberships WHERE person_id = people.id AND account_id NOT IN (SELECT account_id FROM erased_accounts)
          ORDER BY id LIMIT 1)`,
      })
      .where(
        and(
          equals(people.account_id, 'account_id'),
          sql`(EXISTS (SELECT 1 FROM memberships WHERE person_id = people.id AND account_id NOT IN (SELECT account_id FROM erased_accounts))
            OR EXISTS (SELECT 1 FROM staff WHERE person_id = people.id))`,
        ),
      ),
  pendingHolds: (orm) =>
    orm
      .select({ pending: count() })
      .from(holds)
      // A literal, so that the partial index is used.
      .where(and(equals(holds.account_id, 'account_id'), sql`${holds.state} = 'pending'`)),
})

/** Queries on keys. */
export const keyQueries = perConnection({
  /** `models` and `addresses` are JSON texts or null. */
  insertKey: (orm) =>
    orm
      .insert(keys)
      .values({
        ...placeholders(
          'account_id',
          'name',
          'prefix',
          'sha256',
          'spend_limit_nanos',
          'concurrent_calls',
          'expires_at_ms',
          'created_at_ms',
          'person_id',
        ),
        person_from_hold_id: 0,
        models: rawPlaceholder('models'),
        spent_nanos: 0,
        held_nanos: 0,
        addresses: rawPlaceholder('addresses'),
        revoked_at_ms: null,
      })
      .returning(),
  listKeys: (orm) => orm.select().from(keys).orderBy(keys.id),
  keysOfAccount: (orm) =>
    orm.select().from(keys).where(equals(keys.account_id, 'account_id')).orderBy(keys.id),
  keysById: (orm) => orm.select().from(keys).where(equals(keys.id, 'id')),
  /** `has_budgets` is 1 if the key has budgets. */
  keyAndBudgets: (orm) =>
    orm
      .select({
        ...getTableColumns(keys),
        has_budgets: sql<number>`CASE WHEN EXISTS (SELECT 1 FROM budgets WHERE budgets.key_id = keys.id) THEN 1 ELSE 0 END`,
      })
      .from(keys)
      .where(equals(keys.id, 'id')),
  keysByPrefix: (orm) => orm.select().from(keys).where(equals(keys.prefix, 'prefix')),
  keyByHash: (orm) => orm.select().from(keys).where(equals(keys.sha256, 'sha256')),
  /** The account's key of this name that is not revoked at `now_ms`. */
  keyByName: (orm) =>
    orm
      .select()
      .from(keys)
      .where(
        and(
          equals(keys.account_id, 'account_id'),
          equals(keys.name, 'name'),
          or(isNull(keys.revoked_at_ms), gt(keys.revoked_at_ms, placeholder('now_ms'))),
        ),
      ),
  /** The newest key of this name of the account or of one of its people, revoked or not. */
  newestByName: (orm) =>
    orm
      .select()
      .from(keys)
      .where(
        and(
          equals(keys.account_id, 'account_id'),
          equals(keys.name, 'name'),
          sql`${keys.person_id} IS NOT DISTINCT FROM ${placeholder('person_id')}`,
        ),
      )
      .orderBy(desc(keys.id))
      .limit(1),
  setSettings: (orm) =>
    orm
      .update(keys)
      .set(
        rawPlaceholders(
          'name',
          'models',
          'spend_limit_nanos',
          'concurrent_calls',
          'addresses',
          'expires_at_ms',
        ),
      )
      .where(equals(keys.id, 'id'))
      .returning(),
  /** The IDs of a person's keys in an account, revoked or not. */
  idsOfPerson: (orm) =>
    orm
      .select({ id: keys.id })
      .from(keys)
      .where(and(equals(keys.person_id, 'person_id'), equals(keys.account_id, 'account_id')))
      .orderBy(keys.id),
  setRevoked: (orm) =>
    orm.update(keys).set(rawPlaceholders('revoked_at_ms')).where(equals(keys.id, 'id')).returning(),
})
