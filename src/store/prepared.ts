// Prepared queries: made once for each connection, at their first use, and found again by the connection.
import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Awaitable, Orm, Statements } from './db.ts'
import { equals } from './placeholders.ts'

/** How the queries of a folder are prepared, by their names. */
type Preparations = Readonly<Record<string, (orm: Orm) => unknown>>
type Queries<P extends Preparations> = { readonly [Name in keyof P]: Answering<ReturnType<P[Name]>> }

/** The ways to run a query. SQLite answers at once. */
type Answering<Query> = {
  readonly [Method in keyof Query & ('run' | 'all' | 'get')]: Query[Method] extends (
    ...values: infer V
  ) => Promise<infer Answer>
    ? (...values: V) => Awaitable<Answer>
    : never
}

/** Queries of all folders that were loaded, for the test that asks each engine whether it takes them. */
export const loaded_preparations: Preparations[] = []

/**
 * Remembers the prepared queries of a connection. Building a Drizzle query anew takes 51 µs, running a prepared one 1.6 µs.
 *
 * @param preparations prepare one query each, when it is first asked for: a first use costs about 0.9 ms, and most starts need few
 * @returns the queries of a connection; they live as long as the connection
 */
export function perConnection<P extends Preparations>(
  preparations: P,
): (db: Pick<Statements, 'orm'>) => Queries<P> {
  loaded_preparations.push(preparations)
  const known = new WeakMap<Orm, Queries<P>>()
  return ({ orm }) => {
    const found = known.get(orm)
    if (found) return found
    const queries = lazily(preparations, orm)
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
export function perAccount<P extends Preparations>(
  preparationsWhere: (account: OfAccount) => P,
): (db: Pick<Statements, 'orm'>, account_id: number | undefined) => Queries<P> {
  const ofAll = perConnection(preparationsWhere(() => undefined))
  const ofAccount = perConnection(preparationsWhere((table) => equals(table.account_id, 'account_id')))
  return (db, account_id) => (account_id === undefined ? ofAll(db) : ofAccount(db))
}

function lazily<P extends Preparations>(preparations: P, orm: Orm): Queries<P> {
  const queries = {}
  for (const [name, prepare] of Object.entries(preparations))
    Object.defineProperty(queries, name, {
      configurable: true,
      enumerable: true,
      get() {
        const value = prepare(orm)
        Object.defineProperty(queries, name, { value })
        return value
      },
    })
  return queries as Queries<P>
}
