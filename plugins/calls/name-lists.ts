// The names of accounts and keys, for lists to choose from.

import { eq, sql } from 'drizzle-orm'
import type { ListedAccount } from '../../src/access/account-listing.ts'
import type { Awaitable, Db } from '../../src/store/db.ts'
import { equals } from '../../src/store/placeholders.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { account_details, accounts, type Key, keys } from '../../src/store/schema.ts'

/** Nobody chooses from a longer list. */
const MAX_NAMES = 1_000

const queries = perConnection({
  accounts: (orm) =>
    orm
      .select({
        id: accounts.id,
        name: accounts.name,
        display_name: sql<string>`coalesce(${account_details.display_name}, '')`,
      })
      .from(accounts)
      .leftJoin(account_details, eq(account_details.account_id, accounts.id))
      .orderBy(accounts.name)
      .limit(MAX_NAMES)
      .prepare(),
  keys: (orm) =>
    orm
      .select({ id: keys.id, name: keys.name, prefix: keys.prefix })
      .from(keys)
      .where(equals(keys.account_id, 'account_id'))
      .orderBy(keys.name)
      .limit(MAX_NAMES)
      .prepare(),
})

/** The first of the accounts by their names. */
export const accountNames = (db: Db): Awaitable<Pick<ListedAccount, 'id' | 'name' | 'display_name'>[]> =>
  queries(db).accounts.all()

/** The first of an account's keys by their names, revoked ones included: their calls are still there. */
export const keyNames = (db: Db, account_id: number): Awaitable<Pick<Key, 'id' | 'name' | 'prefix'>[]> =>
  queries(db).keys.all({ account_id })
