// The doctor's look at the database: SQLite's quick check, and the version of its tables. It writes nothing.
import { Database } from 'bun:sqlite'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS, schemaVersion } from '../../db/migrate.ts'
import { sizeText } from '../../domain/size-text.ts'
import { messageOf } from '../../domain/thrown.ts'
import type { Diagnosis } from '../../surface/doctor.ts'
import { fail, ok, type Patient, warn } from './diagnosis.ts'

const CHECK = 'database'
const BUSY_MS = 5_000

export function checkDatabase({ data_folder }: Pick<Patient, 'data_folder'>): Diagnosis[] {
  const path = join(data_folder, 'tollgate.db')
  if (!existsSync(path))
    return [
      warn(CHECK, `there is no ${path}`, 'The first start makes it. If there was one, restore a backup.'),
    ]
  try {
    const db = new Database(path, { readonly: true })
    try {
      db.run(`PRAGMA busy_timeout = ${BUSY_MS}`)
      return [versionOf(db), integrityOf(db, statSync(path).size)]
    } finally {
      db.close()
    }
  } catch (thrown) {
    return [fail(CHECK, `it cannot be read: ${messageOf(thrown)}`, RESTORE)]
  }
}

const RESTORE =
  'Stop the gateway, keep the file, and restore the last backup: `tollgate restore FILE --force`.'

function versionOf(db: Database): Diagnosis {
  const version = schemaVersion(db)
  const known = MIGRATIONS.length
  if (version > known)
    return fail(
      'schema',
      `version ${version}, of a newer program; this one knows ${known}`,
      'Run the newer program, or restore the copy from before its migration (tollgate.db.before-NNNN).',
    )
  if (version < known)
    return warn(
      'schema',
      `version ${version}; this program has ${known}`,
      'The next start migrates it, and keeps a copy from before as tollgate.db.before-NNNN.',
    )
  return ok('schema', `version ${version}, as this program has it`)
}

function integrityOf(db: Database, bytes: number): Diagnosis {
  const rows = db.query<{ quick_check: string }, []>('PRAGMA quick_check(5)').all()
  const troubles = rows.map(({ quick_check }) => quick_check).filter((text) => text !== 'ok')
  if (troubles.length > 0) return fail(CHECK, `it is damaged: ${troubles.join('; ')}`, RESTORE)
  return ok(CHECK, `quick check passed, ${sizeText(bytes)}; \`tollgate audit\` checks the books`)
}
