// The doctor's look at stored images and kept responses: whether the files that the database names are there, and of their size.
import { join } from 'node:path'
import { isAbsent } from '../../db/folder.ts'
import { openDb } from '../../db/sqlite.ts'
import { compareLibrary } from '../../library/audit.ts'
import { foldersIn } from '../../library/library.ts'
import { createFileStore } from '../../media/store.ts'
import { auditResponses } from '../../responses/audit.ts'
import { RESPONSES_FOLDER } from '../../responses/store.ts'
import type { Diagnosis } from '../../surface/doctor.ts'
import { isCurrent } from './database.ts'
import { diagnosesOf, type Patient } from './diagnosis.ts'

const { fail, ok } = diagnosesOf('stored files')
const MAX_NAMED = 3

export async function checkStoredFiles({ data_folder }: Pick<Patient, 'data_folder'>): Promise<Diagnosis[]> {
  const path = join(data_folder, 'tollgate.db')
  // Without a database, or with one of another version, there is another check's finding.
  if (isAbsent(path) || !isCurrent(path)) return []
  await using db = openDb(path, { readonly: true })
  const { files, rules } = await compareLibrary({ db, ...foldersIn(data_folder) })
  const wrong = files.filter(({ problem }) => problem !== 'no row').map(({ path: file }) => file)
  const responses = await auditResponses(db, createFileStore(join(data_folder, RESPONSES_FOLDER)))
  const lost = responses
    .filter(({ invariant }) => invariant === 'kept_response_has_its_content')
    .map(({ subject }) => subject)
  const all = [...wrong, ...lost]
  if (all.length > 0) return [missing(all)]
  const images = rules.find(({ invariant }) => invariant === 'stored_row_has_its_file')?.checked ?? 0
  return [ok(`none missing: images ${images}`)]
}

function missing(all: readonly string[]): Diagnosis {
  const more = all.length - MAX_NAMED
  const named = all.slice(0, MAX_NAMED).join(', ') + (more > 0 ? `, and ${more} more` : '')
  return fail(
    `missing or truncated files: ${all.length} (${named})`,
    'Put them back from a backup; the gateway finds them again. `tollgate audit` lists all.',
  )
}
