// The database of a checked gateway, opened for reading by checks.
import { join } from 'node:path'
import type { Db } from '../../store/db.ts'
import { MIGRATIONS } from '../../store/engines/sqlite/migrate.ts'
import { engineOf } from '../process/engine/of.ts'
import { versionOfFile } from '../process/older-database.ts'
import type { CheckContext } from './check.ts'

/** @returns undefined if the database is missing, or this program cannot read it: the check of the database reports either */
export async function openToRead({
  data_folder,
  storage,
}: Pick<CheckContext, 'data_folder' | 'storage'>): Promise<Db | undefined> {
  if (!storage) return undefined
  if (storage.database === undefined && versionOfFile(join(data_folder, 'tollgate.db')) !== MIGRATIONS.length)
    return undefined
  try {
    const engine = await engineOf(storage, data_folder)
    return await engine.open({ access: 'read' })
  } catch (thrown) {
    if (storage.database === undefined) throw thrown
    return undefined
  }
}
