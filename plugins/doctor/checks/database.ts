// The check of the database: SQLite's quick check of a file, or the state of a server, and the schema version. It writes nothing.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { type CheckContext, type Diagnosis, diagnosesOf } from '../../../src/app/checks/check.ts'
import { databaseBytes } from '../../../src/store/disk-room.ts'
import { MIGRATIONS, schemaVersion } from '../../../src/store/engines/sqlite/migrate.ts'
import { isAbsent } from '../../../src/store/folder.ts'
import { closing } from '../../../src/utilities/at-end.ts'
import { sizeText } from '../../../src/utilities/size-text.ts'
import { codeOf, messageOf } from '../../../src/utilities/thrown.ts'
import { NO_TABLES } from './no-tables.ts'

const schema = diagnosesOf('schema')

const { fail, ok, warn } = diagnosesOf('database')
const BUSY_MS = 5_000

export async function checkDatabase({
  data_folder,
  storage,
  now,
}: Pick<CheckContext, 'data_folder' | 'storage' | 'now'>): Promise<Diagnosis[]> {
  if (!storage) return []
  if (storage.database === undefined) return checkFile(data_folder)
  // Imported here, because most folders have no server.
  const { checkServer } = await import('./server.ts')
  return await checkServer(storage.database, now)
}

function checkFile(data_folder: string): Diagnosis[] {
  const path = join(data_folder, 'tollgate.db')
  if (isAbsent(path))
    return [warn(`not found: ${path}`, 'The first start creates it. If it was lost, restore a backup.')]
  try {
    using db = closing(new Database(path, { readonly: true }))
    db.run(`PRAGMA busy_timeout = ${BUSY_MS}`)
    return [versionOf(db), integrityOf(db)]
  } catch (thrown) {
    const advice = isDamage(thrown) ? RESTORE : LOOK
    return [fail(`it cannot be read: ${messageOf(thrown)}`, advice)]
  }
}

/** Whether the file is damaged. Only then the advice is to restore a backup, which would discard newer rows. */
const isDamage = (thrown: unknown): boolean => /^SQLITE_(CORRUPT|NOTADB)/.test(codeOf(thrown))

const LOOK =
  'Run this as the gateway’s user, and check that it is a file, that its folder is writable, and that the disk works.'
const RESTORE =
  'Stop the gateway, restore the last backup into a new folder, and start with that: `tollgate restore FILE --to FOLDER`.'

function versionOf(db: Database): Diagnosis {
  const version = schemaVersion(db)
  const known = MIGRATIONS.length
  if (version === 0) return schema.warn(...NO_TABLES)
  if (version > known)
    return schema.fail(
      `version ${version}, from a newer program; this one knows ${known}`,
      'Run the newer program, or restore the copy that it kept before the migration (tollgate.db.before-NNNN).',
    )
  if (version < known)
    return schema.warn(
      `version ${version}; this program has ${known}`,
      'The next start migrates it, and keeps a copy of this version as tollgate.db.before-NNNN.',
    )
  return schema.ok(`version ${version}, up to date`)
}

function integrityOf(db: Database): Diagnosis {
  const rows = db.query<{ quick_check: string }, []>('PRAGMA quick_check(5)').all()
  const troubles = rows.map(({ quick_check }) => quick_check).filter((text) => text !== 'ok')
  if (troubles.length > 0) return fail(`it is damaged: ${troubles.join('; ')}`, RESTORE)
  return ok(`quick check passed, ${sizeText(databaseBytes(db))}; \`tollgate audit\` checks indexes and books`)
}
