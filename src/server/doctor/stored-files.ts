// The doctor's look at stored images and kept responses: whether the files that the database names are there, and of their size.
import { join } from 'node:path'
import type { Db } from '../../db/db.ts'
import { isAbsent } from '../../db/folder.ts'
import { compareLibrary } from '../../library/audit.ts'
import { foldersIn } from '../../library/library.ts'
import { createFileStore } from '../../media/store.ts'
import { auditResponses } from '../../responses/audit.ts'
import { RESPONSES_FOLDER } from '../../responses/store.ts'
import type { Diagnosis } from '../../surface/doctor.ts'
import { engineOf } from '../engine/of.ts'
import { isCurrent } from './database.ts'
import { diagnosesOf, type Patient } from './diagnosis.ts'

const { fail, ok } = diagnosesOf('stored files')
const MAX_NAMED = 3

type Examined = Pick<Patient, 'data_folder' | 'storage'>

export async function checkStoredFiles(patient: Examined): Promise<Diagnosis[]> {
  const { data_folder } = patient
  await using db = await openToRead(patient)
  if (!db) return []
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

/** Undefined without a database, or with one that cannot be read by this program: that is another check's finding. */
async function openToRead({ data_folder, storage }: Examined): Promise<Db | undefined> {
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

function missing(all: readonly string[]): Diagnosis {
  const more = all.length - MAX_NAMED
  const named = all.slice(0, MAX_NAMED).join(', ') + (more > 0 ? `, and ${more} more` : '')
  return fail(
    `missing or truncated files: ${all.length} (${named})`,
    'Put them back from a backup; the gateway finds them again. `tollgate audit` lists all.',
  )
}
