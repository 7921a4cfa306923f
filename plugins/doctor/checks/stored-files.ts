// The check of stored images and kept responses: their files exist with the recorded size, or their bucket works.
import { type CheckContext, type Diagnosis, diagnosesOf } from '../../../src/app/checks/check.ts'
import { openToRead } from '../../../src/app/checks/database.ts'
import { isMarked } from '../../../src/app/process/files/claim.ts'
import { type FileStores, fileStoresOf } from '../../../src/app/process/files/stores.ts'
import { openOlder } from '../../../src/app/process/older-database.ts'
import { refuseOlderStores } from '../../../src/app/process/start-refusals.ts'
import type { StorageSettings } from '../../../src/domain/catalogue.ts'
import { compareLibrary } from '../../../src/library/audit.ts'
import type { BucketFiles } from '../../../src/media/bucket-store.ts'
import { auditResponses } from '../../../src/responses/audit.ts'
import { bucketMark } from '../../../src/store/bucket-marks.ts'
import type { Db } from '../../../src/store/db.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'

const { fail, ok, warn } = diagnosesOf('stored files')
const MAX_NAMED = 3
const CANNOT_START = 'The gateway cannot start until you fix this.'

type Examined = Pick<CheckContext, 'data_folder' | 'storage'>

export async function checkStoredFiles(context: Examined): Promise<Diagnosis[]> {
  if (!context.storage) return []
  using stores = fileStoresOf(context.storage, context.data_folder)
  await using db = await openToRead(context)
  const refused = db ? [] : await checkBeforeMigration(context.data_folder, context.storage)
  if (refused.length > 0) return refused
  if (stores.bucket) return [await checkBucket(stores.bucket, db)]
  return db ? [await checkFolders(db, stores)] : []
}

/** Checks the files of a database that the next start will migrate. */
async function checkBeforeMigration(data_folder: string, storage: StorageSettings): Promise<Diagnosis[]> {
  // The failure is ignored, because `checkDatabase` reports it.
  await using older = await openOlder(storage, data_folder).catch(() => undefined)
  if (!older) return []
  try {
    await refuseOlderStores(older, { storage, data_folder, accept_missing_files: false })
    return []
  } catch (refusal) {
    return [fail(messageOf(refusal), CANNOT_START)]
  }
}

/** Tests the bucket by writing and deleting an object. It does not list the files: there may be millions. */
async function checkBucket(bucket: BucketFiles, db: Db | undefined): Promise<Diagnosis> {
  const { where } = bucket.connection
  try {
    await bucket.connection.check()
    const is_own = !db || (await isMarked(bucket, await bucketMark(db)))
    await bucket.tryOut()
    if (is_own)
      return ok(
        `${where} works: an object was put, read and deleted; \`tollgate audit --files\` checks all files`,
      )
    return warn(
      `${where} works, but this gateway has not started with it yet`,
      'The first start with it marks it. If it had the files before, name the bucket that has them in [storage].',
    )
  } catch (refusal) {
    return fail(
      messageOf(refusal),
      'Fix [storage] or the bucket. Until then no gateway can start, and one at work refuses images, uploads and kept answers.',
    )
  }
}

async function checkFolders(db: Db, stores: FileStores): Promise<Diagnosis> {
  const { files, rules } = await compareLibrary({ ...stores, db })
  const wrong = files.filter(({ problem }) => problem !== 'no row').map(({ path: file }) => file)
  const responses = await auditResponses(db, stores.responses)
  const lost = responses
    .filter(({ invariant }) => invariant === 'kept_response_has_its_content')
    .map(({ subject }) => subject)
  const all = [...wrong, ...lost]
  if (all.length > 0) return missing(all)
  const images = rules.find(({ invariant }) => invariant === 'stored_row_has_its_file')?.checked ?? 0
  return ok(`none missing: images ${images}`)
}

function missing(all: readonly string[]): Diagnosis {
  const more = all.length - MAX_NAMED
  const named = all.slice(0, MAX_NAMED).join(', ') + (more > 0 ? `, and ${more} more` : '')
  return fail(
    `missing or truncated files: ${all.length} (${named})`,
    'Put them back from a backup; the gateway finds them again. `tollgate audit` lists all.',
  )
}
