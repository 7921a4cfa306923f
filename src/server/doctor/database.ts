// The doctor's look at the database: SQLite's quick check, and the version of its tables. It writes nothing.
import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { isAbsent } from '../../db/folder.ts'
import { MIGRATIONS, schemaVersion } from '../../db/migrate.ts'
import { sizeText } from '../../domain/size-text.ts'
import { messageOf } from '../../domain/thrown.ts'
import type { Diagnosis } from '../../surface/doctor.ts'
import { fail, ok, type Patient, warn } from './diagnosis.ts'

const CHECK = 'database'
const BUSY_MS = 5_000

export function checkDatabase({ data_folder }: Pick<Patient, 'data_folder'>): Diagnosis[] {
  const path = join(data_folder, 'tollgate.db')
  if (isAbsent(path))
    return [
      warn(CHECK, `there is no ${path}`, 'The first start makes it. If there was one, restore a backup.'),
    ]
  try {
    const db = new Database(path, { readonly: true })
    try {
      db.run(`PRAGMA busy_timeout = ${BUSY_MS}`)
      return [versionOf(db), integrityOf(db)]
    } finally {
      db.close()
    }
  } catch (thrown) {
    const advice = isDamage(thrown) ? RESTORE : LOOK
    return [fail(CHECK, `it cannot be read: ${messageOf(thrown)}`, advice)]
  }
}

/** To restore a backup because of anything else would throw away what is well. */
const isDamage = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && /^SQLITE_(CORRUPT|NOTADB)/.test(String(thrown.code))

const LOOK =
  'Run this as the gateway’s own user, and see that it is a file, that its folder can be written, and that the disk works.'
const RESTORE =
  'Stop the gateway, keep the file, and restore the last backup: `tollgate restore FILE --force`.'

function versionOf(db: Database): Diagnosis {
  const version = schemaVersion(db)
  const known = MIGRATIONS.length
  if (version === 0)
    return warn(
      'schema',
      'it has no tables',
      'The first start makes them. If there were some, stop the gateway and restore a backup.',
    )
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

const numberOf = (db: Database, pragma: string): number =>
  Number(db.query<Record<string, number>, []>(`PRAGMA ${pragma}`).get()?.[pragma])

function integrityOf(db: Database): Diagnosis {
  const rows = db.query<{ quick_check: string }, []>('PRAGMA quick_check(5)').all()
  const troubles = rows.map(({ quick_check }) => quick_check).filter((text) => text !== 'ok')
  if (troubles.length > 0) return fail(CHECK, `it is damaged: ${troubles.join('; ')}`, RESTORE)
  // With what is still in the write-ahead log.
  const bytes = numberOf(db, 'page_count') * numberOf(db, 'page_size')
  return ok(CHECK, `quick check passed, ${sizeText(bytes)}; \`tollgate audit\` checks the books`)
}
