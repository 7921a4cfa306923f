// The database of a patient, opened to be read by checks.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { Db } from '../../store/db.ts'
import { MIGRATIONS, schemaVersion } from '../../store/engines/sqlite/migrate.ts'
import { isAbsent } from '../../store/folder.ts'
import { closing } from '../../utilities/at-end.ts'
import { engineOf } from '../process/engine/of.ts'
import type { Patient } from './check.ts'

const BUSY_MS = 5_000

/** @returns undefined without a database, or with one that cannot be read by this program: the check of the database reports either */
export async function openToRead({
  data_folder,
  storage,
}: Pick<Patient, 'data_folder' | 'storage'>): Promise<Db | undefined> {
  if (!storage) return undefined
  const path = join(data_folder, 'tollgate.db')
  if (storage.database === undefined && (isAbsent(path) || !isCurrent(path))) return undefined
  try {
    return await engineOf(storage, data_folder).open({ access: 'read' })
  } catch (thrown) {
    if (storage.database === undefined) throw thrown
    return undefined
  }
}

/** Whether a file can be read by this program as it is. */
function isCurrent(path: string): boolean {
  try {
    using db = closing(new Database(path, { readonly: true }))
    db.run(`PRAGMA busy_timeout = ${BUSY_MS}`)
    return schemaVersion(db) === MIGRATIONS.length
  } catch {
    // The check of the database reports why.
    return false
  }
}
