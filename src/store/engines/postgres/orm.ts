// Drizzle's SQLite builders over PostgreSQL, without parameters in what they throw.
import { BaseSQLiteDatabase, SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import {
  type PreparedQueryConfig,
  type RemoteCallback,
  type RemotePreparedQuery,
  SQLiteRemoteSession,
} from 'drizzle-orm/sqlite-proxy'
import type { Orm } from '../../db.ts'
import { textOf } from './texts.ts'

/** Carries out a statement with numbered parameters. @returns its rows */
type Asking = (text: string, values: readonly unknown[]) => Promise<unknown[][]>

type Nothing = Record<string, never>

class Session extends SQLiteRemoteSession<Nothing, Nothing> {
  override prepareQuery<T extends Omit<PreparedQueryConfig, 'run'>>(
    ...how: Parameters<SQLiteRemoteSession<Nothing, Nothing>['prepareQuery']>
  ): RemotePreparedQuery<T> {
    // Its own wraps each failure in one whose message has all parameters: secrets, prompts, notes.
    const queryWithCache = <Result>(_text: string, _values: unknown[], run: () => Promise<Result>) => run()
    return Object.assign(super.prepareQuery<T>(...how), { queryWithCache })
  }
}

export function ormOver(run: Asking): Orm {
  const client: RemoteCallback = async (text, values, method) => {
    const rows = await run(textOf(text), values)
    // For `get` it takes the row itself, and undefined for no row; its type does not say so.
    return { rows: (method === 'get' ? rows[0] : rows) as unknown[] }
  }
  const dialect = new SQLiteAsyncDialect()
  const session = new Session(client, dialect, undefined)
  return new BaseSQLiteDatabase('async', dialect, session, undefined) as unknown as Orm
}
