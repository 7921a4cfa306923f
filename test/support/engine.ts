// The database engine of a test run: SQLite, or with TOLLGATE_TEST_ENGINE=postgres a real PostgreSQL server.
import type { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { openDatabase } from '../../src/store/engines/sqlite/open.ts'
import { makeEmptyDatabase } from './empty-database.ts'

export const ENGINE = process.env.TOLLGATE_TEST_ENGINE === 'postgres' ? 'PostgreSQL' : 'SQLite'

/** The empty database of one gateway. */
interface GatewayDatabase {
  /** Its section of the catalogue. */
  section: string
  /** Applies a catalogue, keys included, if the engine stores it in the database. */
  putCatalogue(text: string): Promise<void>
  /** Opens a separate connection for the test. */
  open(): Database
  /** Removes the database, which must be unused. */
  remove(): Promise<void>
}

export async function makeGatewayDatabase(data_folder: string): Promise<GatewayDatabase> {
  if (ENGINE === 'PostgreSQL') {
    // The module looks for a server when it is loaded, and compiled programs of tests have none.
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
