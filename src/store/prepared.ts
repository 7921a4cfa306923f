// Prepared queries: made once for each connection at first use, and looked up by the connection.
import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Awaitable, Orm, Statements } from './db.ts'
import { equals } from './placeholders.ts'

/** Builders of a folder's queries, by name. */
type Builders = Readonly<Record<string, (orm: Orm) => { prepare(): unknown }>>
type Queries<B extends Builders> = {
  readonly [Name in keyof B]: PreparedQuery<ReturnType<ReturnType<B[Name]>['prepare']>>
}

/** The methods to run a query. SQLite answers without a promise. */
type PreparedQuery<Query> = {
  readonly [Method in keyof Query & ('run' | 'all' | 'get')]: Query[Method] extends (
    ...values: infer V
  ) => Promise<infer Answer>
    ? (...values: V) => Awaitable<Answer>
    : never
}

/** The queries of all loaded folders, for the test that checks them on each engine. */
export const loaded_builders: Builders[] = []

/**
 * Caches the prepared queries of a connection. Building a Drizzle query takes 51 µs, running a prepared one 1.6 µs.
 *
 * @param builders build one query each, which is prepared at first use: that costs about 0.9 ms, and most starts need few
 * @returns the queries of a connection; they live as long as the connection
 */
export function perConnection<B extends Builders>(builders: B): (db: Pick<Statements, 'orm'>) => Queries<B> {
  loaded_builders.push(builders)
  const known = new WeakMap<Orm, Queries<B>>()
  return ({ orm }) => {
    const found = known.get(orm)
    if (found) return found
    const queries = lazyQueries(builders, orm)
    known.set(orm, queries)
    return queries
  }
}

/** Returns the condition that a row belongs to the requested account; none if all accounts are requested. */
export type OfAccount = (table: { account_id: SQLiteColumn }) => SQL | undefined

/**
 * Builds the same queries for all accounts and for one. The index for a query depends on whether an account is selected, so this is not an
 * optional filter: each case has its own statements, and the account is passed as `account_id`.
 *
 * @returns the queries of a connection for an account; undefined: for all accounts
 */
export function perAccount<B extends Builders>(
  buildersWhere: (account: OfAccount) => B,
): (db: Pick<Statements, 'orm'>, account_id: number | undefined) => Queries<B> {
  const ofAll = perConnection(buildersWhere(() => undefined))
  const ofAccount = perConnection(buildersWhere((table) => equals(table.account_id, 'account_id')))
  return (db, account_id) => (account_id === undefined ? ofAll(db) : ofAccount(db))
}

function lazyQueries<B extends Builders>(builders: B, orm: Orm): Queries<B> {
  const queries = {}
  for (const [name, build] of Object.entries(builders))
    Object.defineProperty(queries, name, {
      configurable: true,
      enumerable: true,
      get() {
        const value = build(orm).prepare()
        Object.defineProperty(queries, name, { value })
        return value
      },
    })
  return queries as Queries<B>
}
