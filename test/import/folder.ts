// A folder for an import on either engine, with access to its rows by SQL and to its audit.
import { mkdirSync, writeFileSync } from 'node:fs'
import { type Audit, audit } from '../../src/money/ledger/audit.ts'
import type { Db } from '../../src/store/db.ts'
import { openPostgres } from '../../src/store/engines/postgres/open.ts'
import { openDb } from '../../src/store/engines/sqlite/sqlite.ts'
import { dropDatabase, hasPostgres, makeDatabase } from '../support/postgres.ts'
import { temporary } from '../support/temporary.ts'

export const ENGINES = hasPostgres ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const)
export type EngineName = (typeof ENGINES)[number]

export interface ImportFolder extends AsyncDisposable {
  /** May not exist yet. */
  dir: string
  at(name: string): string
  open(): Promise<Db>
  rows<Row>(sql: string): Promise<Row[]>
  findings(): Promise<Audit['findings']>
}

/** On PostgreSQL with the catalogue that names the database, else empty. */
export async function importFolder(engine: EngineName): Promise<ImportFolder> {
  const folder = temporary()
  const dir = folder.at('data')
  const database = engine === 'PostgreSQL' ? await makeDatabase() : undefined
  if (database) {
    mkdirSync(dir)
    writeFileSync(`${dir}/tollgate.toml`, `[server]\n\n[storage]\ndatabase = "${database.url}"\n`)
  }
  const open = async (): Promise<Db> =>
    database ? await openPostgres(database.url) : openDb(`${dir}/tollgate.db`)
  return {
    dir,
    at: (name) => `${dir}/${name}`,
    open,
    async rows<Row>(sql: string) {
      await using db = await open()
      return await db.rows<Row>(sql)
    },
    async findings() {
      await using db = await open()
      return (await audit(db)).findings
    },
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]()
      if (database) await dropDatabase(database.name)
    },
  }
}
