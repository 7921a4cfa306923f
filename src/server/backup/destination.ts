// Where what is restored goes: where [storage] of the data folder says; on a machine without a catalogue, of the archive's own.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { editToml } from '../../config/edit.ts'
import type { Environment } from '../../config/providers.ts'
import { storageIn } from '../../config/storage.ts'
import { readToml } from '../../config/toml.ts'
import type { TomlValue } from '../../config/toml-write.ts'
import { flush } from '../../db/copy.ts'
import { postgresTarget, refuseRows } from '../../db/copying/postgres-target.ts'
import type { PostgresDb } from '../../db/postgres/db.ts'
import { openPostgres } from '../../db/postgres/open.ts'
import { openDb } from '../../db/sqlite.ts'
import { audit } from '../../ledger/audit.ts'
import { moveRows } from '../moving/rows.ts'
import type { DataPaths } from './paths.ts'

export interface Destination extends AsyncDisposable {
  /** Copies a whole database there, where that is a server. @returns whether it did @throws GatewayError, StorageFailure: nothing was changed then */
  takeRows(database_path: string): Promise<boolean>
  /** The same for what was unpacked into a folder, whose catalogue gets the section of this one, and whose database goes. */
  takeUnpacked(folder: string): Promise<boolean>
}

/**
 * Opens the place. A server must have an empty database, which is looked at before anything is unpacked.
 *
 * @throws GatewayError conflict if it has rows; what `storageIn` and `openPostgres` throw
 */
export async function openDestination({ catalogue_path }: DataPaths, env: Environment): Promise<Destination> {
  const own = existsSync(catalogue_path) ? await databaseIn(catalogue_path, env) : undefined
  let server = own && (await openServer(own.url))
  return {
    async takeRows(database_path) {
      if (server) await fill(server, database_path)
      return server !== undefined
    },
    async takeUnpacked(folder) {
      const unpacked = join(folder, 'tollgate.toml')
      if (own) keepSection(catalogue_path, unpacked)
      else server = await openServer((await databaseIn(unpacked, env)).url)
      const database_path = join(folder, 'tollgate.db')
      if (!server) return false
      await fill(server, database_path)
      for (const suffix of ['', '-wal', '-shm']) rmSync(database_path + suffix, { force: true })
      return true
    },
    async [Symbol.asyncDispose]() {
      await server?.close()
    },
  }
}

/** What has no such section may have any mistake: a restore may be what mends it. */
async function databaseIn(path: string, env: Environment): Promise<{ url: string | undefined }> {
  if (!textOf(path).includes('storage')) return { url: undefined }
  return { url: (await storageIn(path, env)).database }
}

const textOf = (path: string): string => (existsSync(path) ? readFileSync(path, 'utf8') : '')

async function openServer(url: string | undefined): Promise<PostgresDb | undefined> {
  if (url === undefined) return undefined
  const db = await openPostgres(url, { is_new: true })
  try {
    await refuseRows(db)
    return db
  } catch (refusal) {
    await db.close()
    throw refusal
  }
}

async function fill(server: PostgresDb, database_path: string): Promise<void> {
  await using from = openDb(database_path, { readonly: true })
  await moveRows({ from, to: postgresTarget(server), auditCopy: () => audit(server) })
}

/** Writes [storage] of one catalogue into another: rows and files are where this machine keeps them, not where they were. */
function keepSection(from_path: string, to_path: string): void {
  const text = textOf(to_path)
  const [own, other] = [sectionIn(textOf(from_path)), sectionIn(text)]
  if (Bun.deepEquals(own, other)) return
  const path = ['storage']
  const edits = editToml(text, [own === undefined ? { op: 'remove', path } : { op: 'set', path, value: own }])
  let step = edits.next()
  while (!step.done) step = edits.next()
  writeFileSync(to_path, step.value)
  flush(to_path)
}

/** Undefined without one, also in what is no TOML. */
function sectionIn(text: string): TomlValue | undefined {
  if (!text.includes('storage')) return undefined
  const document = readToml(text)
  return document.ok ? (document.value.storage as TomlValue | undefined) : undefined
}
