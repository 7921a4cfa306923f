// The claim to a bucket: an object in it names the database that owns its files, so that no gateway uses another's bucket.
import { conflict, unprocessable } from '../../../domain/errors.ts'
import { idempotencyQueries } from '../../../idempotency/queries.ts'
import { fileShelf, imageShelf, type Place } from '../../../library/missing.ts'
import type { BucketFiles } from '../../../media/bucket-store.ts'
import type { FileStore } from '../../../media/store.ts'
import { responseQueries } from '../../../responses/queries.ts'
import { bucketMark, makeBucketMark } from '../../../store/bucket-marks.ts'
import type { Db } from '../../../store/db.ts'
import type { FileStores } from './stores.ts'

interface ClaimOptions {
  accept_missing_files: boolean
}

/** The prefix of one object, named by the database's mark. */
const MARKS = 'tollgate-store/'
/** A mark is a UUID. Other names are ignored: some servers briefly list a temporary file while a mark is written again. */
const MARK = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TEXT = new TextEncoder().encode(
  'The files of a Tollgate gateway. Its database knows this object by its name: keep it.\n',
)
/** Per kind of file. If none of these files exists, the bucket is the wrong one. */
const MAX_SAMPLED_FILES = 20

/** The first version of the tables with a mark, and the first that names all kinds of files. */
const [MARKS_VERSION, FILES_VERSION] = [29, 6]

/**
 * Checks before a migration whether the claim would be refused after it. Writes one object and deletes it; changes nothing else.
 * @param older undefined if the database has no tables, or they cannot be read
 * @throws GatewayError as `claimBucket`
 */
export async function refuseBucket(
  older: { db: Db; version: number } | undefined,
  stores: FileStores,
  options: ClaimOptions,
): Promise<void> {
  const { bucket } = stores
  if (!bucket) return
  const known = older && older.version >= MARKS_VERSION ? await bucketMark(older.db) : undefined
  const is_marked = await isMarked(bucket, known)
  if (older && older.version >= FILES_VERSION && !is_marked && !options.accept_missing_files)
    await refuseWithoutFiles(older.db, stores)
  await bucket.tryOut()
}

/**
 * Ensures that the bucket has this database's files, and that the gateway may read, write and delete there. The first start
 * marks the bucket. If several databases claim a new bucket at the same time, at most one succeeds.
 * @throws GatewayError if the bucket cannot be used, belongs to another database, or lacks the files that this one names. The message says
 * what to do, and nothing was changed
 */
export async function claimBucket(db: Db, stores: FileStores, options: ClaimOptions): Promise<void> {
  const { bucket } = stores
  if (!bucket) return
  const known = await bucketMark(db)
  if (!(await isMarked(bucket, known))) {
    if (!options.accept_missing_files) await refuseWithoutFiles(db, stores)
    await bucket.tryOut()
    await mark(bucket, known ?? (await makeBucketMark(db, crypto.randomUUID())))
    return
  }
  await bucket.tryOut()
}

/** Returns the mark of a bucket; undefined if it has none. @throws GatewayError conflict if it has several */
export async function markOf(bucket: BucketFiles): Promise<string | undefined> {
  const { value: known } = await marksIn(bucket).next()
  if (known !== undefined) await isMarked(bucket, known)
  return known
}

/**
 * Ensures that the bucket in the settings, if any, has this database's files, and with `write` that a command may write them.
 * @throws GatewayError if the bucket cannot be used, or no gateway of this database has claimed it. The message says what to do
 */
export async function requireOwnFiles(
  db: Db,
  { bucket }: Pick<FileStores, 'bucket'>,
  access: 'read' | 'write',
): Promise<void> {
  if (!bucket) return
  if (!(await isMarked(bucket, await bucketMark(db))))
    throw conflict(
      `${bucket.connection.where} does not have the files of this gateway: it has not been started with it yet, or it is another ` +
        'one. Name the bucket that has them in [storage], or start the gateway once. Nothing was changed.',
    )
  if (access === 'write') await bucket.tryOut()
}

/** Whether a bucket has the `known` mark. @throws GatewayError conflict if it has another mark */
export async function isMarked(bucket: BucketFiles, known: string | undefined): Promise<boolean> {
  let is_marked = false
  for await (const mark of marksIn(bucket)) {
    if (mark !== known)
      throw conflict(
        `${bucket.connection.where} has the files of another Tollgate. Name another bucket or prefix in [storage]. If they are this ` +
          `gateway's, such as after a restore of an older database, delete the object ${MARKS}${mark} there and start again.`,
      )
    is_marked = true
  }
  return is_marked
}

async function* marksIn({ connection }: BucketFiles): AsyncGenerator<string, undefined> {
  for await (const { key } of connection.list(MARKS)) {
    const name = key.slice(MARKS.length)
    if (MARK.test(name)) yield name
  }
}

/** If two gateways mark it at the same time, at least one sees the other's mark, since each writes its mark before it checks. */
async function mark(bucket: BucketFiles, own: string): Promise<void> {
  const { connection } = bucket
  await connection.put(MARKS + own, TEXT)
  try {
    await isMarked(bucket, own)
  } catch (refusal) {
    await connection.remove(MARKS + own)
    throw refusal
  }
}

/** @throws GatewayError unprocessable if rows name files, and none of the sampled ones exists */
async function refuseWithoutFiles(db: Db, stores: FileStores): Promise<void> {
  const { address } = stores
  const expected = await expectedIn(db, stores)
  if (expected.length === 0) return
  for (const { store, keys } of expected) for (const key of keys) if (await store.has(key)) return
  throw unprocessable(
    `The database names files, and none of them is in ${address}. Copy images/, files/, answers/ and responses/ of the data folder ` +
      'there first, or name the bucket that has them in [storage]. To start without these files, add --accept-missing-files: their ' +
      'images are shown as missing until the files are back. Nothing was changed.',
  )
}

interface Expected {
  store: FileStore
  keys: string[]
}

/** Returns a sample of the files that rows name, by kind. */
async function expectedIn(db: Db, { images, files, answers, responses }: FileStores): Promise<Expected[]> {
  const shelves = [imageShelf({ db, images }), fileShelf({ db, files })]
  const placed = await Promise.all(
    shelves.map(async (shelf) => ({ store: shelf.store, keys: keysOf(await shelf.page('expected', 0)) })),
  )
  const named = [
    { store: answers, rows: await idempotencyQueries(db).bodyFiles.all() },
    { store: responses, rows: await responseQueries(db).bodyFiles.all() },
  ].map(({ store, rows }) => ({ store, keys: rows.flatMap(({ body_file }) => body_file ?? []) }))
  return [...placed, ...named]
    .filter(({ keys }) => keys.length > 0)
    .map(({ store, keys }) => ({ store, keys: keys.slice(-MAX_SAMPLED_FILES) }))
}

const keysOf = (places: readonly Place[]): string[] => places.map(({ key }) => key)
