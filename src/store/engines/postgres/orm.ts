// Drizzle's SQLite query builders over PostgreSQL. Errors do not contain parameters.
import { BaseSQLiteDatabase, SQLiteAsyncDialect } from 'drizzle-orm/sqlite-core'
import {
  type PreparedQueryConfig,
  type RemoteCallback,
  type RemotePreparedQuery,
  SQLiteRemoteSession,
} from 'drizzle-orm/sqlite-proxy'
import type { Orm } from '../../db.ts'
import { textOf } from './texts.ts'

/** Executes a statement with numbered parameters. @returns its rows */
type RunStatement = (text: string, values: readonly unknown[]) => Promise<unknown[][]>

type NoSchema = Record<string, never>

class Session extends SQLiteRemoteSession<NoSchema, NoSchema> {
  override prepareQuery<T extends Omit<PreparedQueryConfig, 'run'>>(
    ...how: Parameters<SQLiteRemoteSession<NoSchema, NoSchema>['prepareQuery']>
  ): RemotePreparedQuery<T> {
    // Drizzle's own method wraps each failure in an error whose message has all parameters: secrets, prompts, notes.
    const queryWithCache = <Result>(_text: string, _values: unknown[], run: () => Promise<Result>) => run()
    return Object.assign(super.prepareQuery<T>(...how), { queryWithCache })
  }
}

export function ormOver(run: RunStatement): Orm {
  const client: RemoteCallback = async (text, values, method) => {
    const rows = await run(textOf(text), values)
    // For `get`, Drizzle expects the row itself, and undefined without a row, which its type does not express.
    return { rows: (method === 'get' ? rows[0] : rows) as unknown[] }
  }
  const dialect = new SQLiteAsyncDialect()
  const session = new Session(client, dialect, undefined)
  return new BaseSQLiteDatabase('async', dialect, session, undefined) as unknown as Orm
}
