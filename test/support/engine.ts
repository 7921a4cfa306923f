// The database engine of a test run: SQLite, or with TOLLGATE_TEST_ENGINE=postgres a real PostgreSQL server.
import type { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { makeEmptyDatabase } from './empty-database.ts'

export const ENGINE = process.env.TOLLGATE_TEST_ENGINE === 'postgres' ? 'PostgreSQL' : 'SQLite'

/** The empty database of one gateway. */
interface GatewayDatabase {
  /** What its catalogue says of it. */
  section: string
  /** Puts a catalogue in force, keys included, where it is in the database. */
  putCatalogue(text: string): Promise<void>
  /** A connection of the test's own. */
  open(): Database
  /** Once nobody uses it any more. */
  remove(): Promise<void>
}

export async function makeGatewayDatabase(data_folder: string): Promise<GatewayDatabase> {
  if (ENGINE === 'PostgreSQL') {
    // It looks for a server when it is loaded, which compiled programs of tests have none of.
    const { dropDatabase, makeDatabase } = await import('./postgres.ts')
    const { blockingDatabase } = await import('./blocking.ts')
    const { putCatalogueIn } = await import('./shared-catalogue.ts')
    const { name, url } = await makeDatabase()
    return {
      section: `\n[storage]\ndatabase = "${url}"\n`,
      putCatalogue: (text) => putCatalogueIn(url, text),
      open: () => blockingDatabase(url),
      remove: () => dropDatabase(name),
    }
  }
  const path = join(data_folder, 'tollgate.db')
  makeEmptyDatabase(path)
  return { section: '', putCatalogue: async () => {}, open: () => openDatabase(path), remove: async () => {} }
}
