// Choices for the filters of calls: the names of accounts, keys, models and providers.
import { type Static, Type } from '@sinclair/typebox'
import { eq, sql } from 'drizzle-orm'
import type { ListedAccount } from '../../../src/access/account-listing.ts'
import { accountOf, seesKey, type Viewer } from '../../../src/access/viewer.ts'
import { AccountRef } from '../../../src/app/surface/console/fields.ts'
import { requestedAccount } from '../../../src/app/surface/console/references.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { Closed } from '../../../src/http/schema.ts'
import type { Awaitable, Db } from '../../../src/store/db.ts'
import { equals } from '../../../src/store/placeholders.ts'
import { perConnection } from '../../../src/store/prepared.ts'
import { account_details, accounts, type Key, keys } from '../../../src/store/schema.ts'

/** A longer list would be of no use in a select. */
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
      .limit(MAX_NAMES),
  keys: (orm) =>
    orm
      .select({ id: keys.id, name: keys.name, prefix: keys.prefix })
      .from(keys)
      .where(equals(keys.account_id, 'account_id'))
      .orderBy(keys.name)
      .limit(MAX_NAMES),
})

/** Returns the first accounts in the order of their names. */
const accountNames = (db: Db): Awaitable<Pick<ListedAccount, 'id' | 'name' | 'display_name'>[]> =>
  queries(db).accounts.all()

/** Returns the first keys of an account in the order of their names, also revoked ones, because their calls remain. */
const keyNames = (db: Db, account_id: number): Awaitable<Pick<Key, 'id' | 'name' | 'prefix'>[]> =>
  queries(db).keys.all({ account_id })

export const FiltersQuery = Closed({ account: Type.Optional(AccountRef) })
export const FiltersView = Closed({
  /** For the operator only. */
  accounts: Type.Array(Closed({ id: Type.Integer(), name: Type.String(), display_name: Type.String() })),
  /** The keys of the requested account, or of the viewer's own. */
  keys: Type.Array(Closed({ id: Type.Integer(), name: Type.String(), prefix: Type.String() })),
  models: Type.Array(Type.String()),
  /** For the operator only. */
  providers: Type.Array(Type.String()),
})

/** @throws GatewayError not_found for an account that the viewer may not see */
export async function filtersView(
  gateway: Pick<Gateway, 'calls' | 'db'>,
  viewer: Viewer,
  requested: string | undefined,
): Promise<Static<typeof FiltersView>> {
  const { db, calls } = gateway
  const own = accountOf(viewer)
  const account_id = await requestedAccount(gateway, viewer, requested)
  const { models, providers } = calls.catalogue()
  const keys = account_id === undefined ? [] : await keyNames(db, account_id)
  return {
    accounts: own === undefined ? await accountNames(db) : [],
    keys: keys.filter(({ id }) => seesKey(viewer, id)),
    models: [...models.keys()].sort(),
    providers: own === undefined ? [...providers.keys()].sort() : [],
  }
}
