// Databases of another gateway for tests, made by SQL: a SQLite file, a database on PostgreSQL, or statements for MySQL.
import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import { dropDatabase, makeDatabase } from '../support/postgres.ts'
import { type Engine, insertsOf, type Rows, schemaOf, type Version } from './gateway-tables.ts'

const statementsOf = (version: Version, engine: Engine, rows: Rows): string[] => [
  ...schemaOf(version, engine),
  ...insertsOf(version, engine, rows),
]

/** Writes a SQLite file. */
export function makeSqlite(path: string, version: Version, rows: Rows): void {
  using db = new Database(path, { create: true })
  db.transaction(() => {
    for (const statement of statementsOf(version, 'sqlite', rows)) db.run(statement)
  })()
}

export interface ForeignDatabase extends AsyncDisposable {
  readonly url: string
  readonly sql: SQL
}

/** Makes a database on the tests' PostgreSQL server; dropped when it is disposed of. */
export async function makePostgres(version: Version, rows: Rows): Promise<ForeignDatabase> {
  const { name, url } = await makeDatabase('template0')
  const sql = new SQL({ url, max: 1, idleTimeout: 0 })
  await sql.unsafe(statementsOf(version, 'postgres', rows).join(';\n'))
  return {
    url,
    sql,
    async [Symbol.asyncDispose]() {
      await sql.close()
      await dropDatabase(name)
    },
  }
}
