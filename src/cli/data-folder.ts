// Owns the data folder as commands see it: where its files are, and how a command comes to the database and the catalogue.
import type { Database } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readCatalogueFile } from '../config/load.ts'
import { formatMistake, type Mistake } from '../config/mistakes.ts'
import type { Environment } from '../config/providers.ts'
import { openDatabase } from '../db/open.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import { notFound } from '../domain/errors.ts'
import { openLedger } from '../ledger/ledger.ts'
import type { Ledger } from '../ledger/operations.ts'
import { BUILT_IN_REGISTRY } from '../protocols/registry.ts'

export interface DataFolder {
  dir: string
  catalogue_path: string
  database_path: string
}

/** Where the files of a data folder are, whether they exist or not. */
export function dataFolder(dir: string): DataFolder {
  return { dir, catalogue_path: join(dir, 'tollgate.toml'), database_path: join(dir, 'tollgate.db') }
}

/**
 * Gives a connection to `work`, and closes it whatever happens. Works beside a running server.
 *
 * @param access `read`, `write`, or `make`: write, to a new database where the folder has none
 * @throws GatewayError not_found without a database (`make`: without the folder); whatever opening or `work` throws
 */
export function withDatabase<T>(
  folder: DataFolder,
  access: 'read' | 'write' | 'make',
  work: (db: Database) => T,
): T {
  requireFile(folder, access === 'make' ? folder.dir : folder.database_path)
  const db = openDatabase(folder.database_path, { readonly: access === 'read' })
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** The same, to read only, for work that takes its time. */
export async function withReadableDatabase<T>(
  folder: DataFolder,
  work: (db: Database) => Promise<T>,
): Promise<T> {
  requireFile(folder, folder.database_path)
  const db = openDatabase(folder.database_path, { readonly: true })
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

/** The same with a ledger of this process, which commits before it answers. */
export async function withLedger<T>(folder: DataFolder, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  requireFile(folder, folder.database_path)
  const ledger = await openLedger({ path: folder.database_path, writer: 'inline' })
  try {
    return await work(ledger)
  } finally {
    await ledger.close()
  }
}

/** The catalogue, or all that is wrong with it as lines for a person. */
export async function readCatalogueOf(
  path: string,
  env: Environment,
): Promise<{ catalogue: Catalogue } | { mistakes: Mistake[]; lines: string[] }> {
  const reading = await readCatalogueFile(path, { env, protocols: BUILT_IN_REGISTRY })
  if (reading.ok) return { catalogue: reading.catalogue }
  const { mistakes } = reading
  return { mistakes, lines: mistakes.map((mistake) => formatMistake(path, mistake)) }
}

function requireFile({ dir }: DataFolder, path: string): void {
  if (existsSync(path)) return
  const missing = path === dir ? `There is no folder ${dir}.` : `There is no database at ${path}.`
  throw notFound(
    `${missing} Name the data folder with --data DIR, or run \`tollgate serve\` once to make it.`,
  )
}
