// Prepared queries: made once for each connection, at their first use, and found again by the connection.
import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Awaitable, Orm, Statements } from './db.ts'
import { equals } from './placeholders.ts'

/** How the queries of a folder are built, by their names. */
type Builders = Readonly<Record<string, (orm: Orm) => { prepare(): unknown }>>
type Queries<B extends Builders> = {
  readonly [Name in keyof B]: Answering<ReturnType<ReturnType<B[Name]>['prepare']>>
}

/** The ways to run a query. SQLite answers at once. */
type Answering<Query> = {
  readonly [Method in keyof Query & ('run' | 'all' | 'get')]: Query[Method] extends (
    ...values: infer V
  ) => Promise<infer Answer>
    ? (...values: V) => Awaitable<Answer>
    : never
}

/** Queries of all folders that were loaded, for the test that asks each engine whether it takes them. */
export const loaded_builders: Builders[] = []

/**
 * Remembers the prepared queries of a connection. Building a Drizzle query anew takes 51 µs, running a prepared one 1.6 µs.
 *
 * @param builders build one query each, which is prepared when it is first asked for: a first use costs about 0.9 ms, and most starts need few
 * @returns the queries of a connection; they live as long as the connection
 */
export function perConnection<B extends Builders>(builders: B): (db: Pick<Statements, 'orm'>) => Queries<B> {
  loaded_builders.push(builders)
  const known = new WeakMap<Orm, Queries<B>>()
  return ({ orm }) => {
    const found = known.get(orm)
    if (found) return found
    const queries = lazily(builders, orm)
    known.set(orm, queries)
    return queries
  }
}

/** The condition that a row is of the account that is asked about; none where all are. */
export type OfAccount = (table: { account_id: SQLiteColumn }) => SQL | undefined

/**
 * The same queries on all accounts and on one. Whether an account is given decides on the index that serves a query, so it is no optional
 * filter: each has statements of its own, and the account is given to them as `account_id`.
 *
 * @returns the queries of a connection on an account; undefined: on all of them
 */
export function perAccount<B extends Builders>(
  buildersWhere: (account: OfAccount) => B,
): (db: Pick<Statements, 'orm'>, account_id: number | undefined) => Queries<B> {
  const ofAll = perConnection(buildersWhere(() => undefined))
  const ofAccount = perConnection(buildersWhere((table) => equals(table.account_id, 'account_id')))
  return (db, account_id) => (account_id === undefined ? ofAll(db) : ofAccount(db))
}

function lazily<B extends Builders>(builders: B, orm: Orm): Queries<B> {
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
