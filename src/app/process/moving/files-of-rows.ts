// Copy of the files that rows name to another place, with a list of missing files.
import { upstreamFailed } from '../../../domain/errors.ts'
import { StorageFailure } from '../../../domain/storage-failure.ts'
import { idempotencyQueries } from '../../../idempotency/queries.ts'
import { fileShelf, imageShelf, type Place, placesOf, type Shelf } from '../../../library/missing.ts'
import type { FileStore, PutResult } from '../../../media/store.ts'
import { responseQueries } from '../../../responses/queries.ts'
import type { Awaitable, Db } from '../../../store/db.ts'
import { counted } from '../../../utilities/counted.ts'
import { FILE_FOLDERS, type FileFolder, type FileStores } from '../files/stores.ts'

interface MoveFilesOfRowsOptions {
  /** The database whose rows name the files; it is only read. */
  db: Db
  from: FileStores
  to: FileStores
  /** Called before anything is copied. An exception ends the copy. */
  onPlan?: (plan: FilePlan) => void
  /** Called after each file, with its bytes. */
  onFile?: (bytes: number) => void
}

export interface MovedFiles {
  /** The named files that are in the new place now. */
  readonly files: number
  readonly bytes: number
  /** The ones that this run copied. */
  readonly copied: number
  /** The named files that are in neither place, such as `images/1/a.png`. */
  readonly missing: readonly MissingFile[]
  /** Copied files whose hash differs from their rows': readers get an error for them in both places. */
  readonly damaged: readonly string[]
  /** Files that a running gateway added to the old place during the copy. */
  readonly left: number
}

interface NamedFile {
  key: string
  /** Set for an image, whose row can be marked as missing. */
  place?: Place
}

export interface MissingFile extends NamedFile {
  path: string
}

interface FilePlan {
  to_copy: PlannedFile[]
  bytes: number
  there: number
  there_bytes: number
  missing: MissingFile[]
}

interface PlannedFile {
  folder: FileFolder
  key: string
  bytes: number
  /** Undefined if its row has no hash. */
  sha256: string | undefined
}

/** Each copy mostly waits for a bucket or a disk. */
const FILES_AT_ONCE = 8

/**
 * Copies the files that rows name and the new place lacks, by key and size. Files without a row are not copied, and nothing is deleted on
 * either side: an interrupted run can be repeated, and a second run copies the few files that a running gateway has added.
 * @throws GatewayError upstream_failed, with the progress, if a bucket fails; what the disk and `onPlan` throw
 */
export async function moveFilesOfRows(options: MoveFilesOfRowsOptions): Promise<MovedFiles> {
  const { onPlan, onFile = () => {}, from, to } = options
  const plan = await planFiles(options)
  onPlan?.(plan)
  let [copied, is_over] = [0, false]
  const files = plan.to_copy.values()
  const damaged: string[] = []
  const copyAll = async () => {
    for (const { folder, key, bytes, sha256 } of files) {
      if (is_over) return
      const copy = await copyFile(from[folder], to[folder], key)
      if (copy) copied += 1
      if (copy && sha256 !== undefined && copy.sha256 !== sha256) damaged.push(`${folder}/${key}`)
      onFile(bytes)
    }
  }
  const lanes = Array.from({ length: FILES_AT_ONCE }, copyAll)
  try {
    await Promise.all(lanes)
  } catch (failure) {
    is_over = true
    await Promise.allSettled(lanes)
    throw cutShort(failure, copied, plan.to_copy.length)
  }
  const after = await planFiles(options)
  return {
    files: after.there,
    bytes: after.there_bytes,
    copied,
    missing: after.missing,
    damaged,
    left: after.to_copy.length,
  }
}

/** @returns undefined if the file has been deleted */
async function copyFile(from: FileStore, to: FileStore, key: string): Promise<PutResult | undefined> {
  const content = await from.open(key)
  return content && (await to.put(key, content.stream()))
}

async function planFiles({ db, from, to }: MoveFilesOfRowsOptions): Promise<FilePlan> {
  const plan: FilePlan = { to_copy: [], bytes: 0, there: 0, there_bytes: 0, missing: [] }
  for (const folder of FILE_FOLDERS) {
    const [source, target] = [await sizesIn(from[folder]), await sizesIn(to[folder])]
    for await (const named of namedFiles(db, from, folder)) {
      const { key } = named
      const there_bytes = target.get(key)
      // The file may be newer than the list.
      const bytes = source.get(key) ?? (await from[folder].open(key))?.size ?? there_bytes
      if (bytes === undefined) plan.missing.push({ ...named, path: `${folder}/${key}` })
      else if (bytes === there_bytes) {
        plan.there += 1
        plan.there_bytes += bytes
      } else {
        plan.to_copy.push({ folder, key, bytes, sha256: named.place?.sha256 ?? undefined })
        plan.bytes += bytes
      }
    }
  }
  return plan
}

const sizesIn = async (store: FileStore): Promise<Map<string, number>> =>
  new Map((await Array.fromAsync(store.list())).map(({ key, bytes }) => [key, bytes]))

/** Adds the progress to a bucket's failure; a disk's failure is returned unchanged. */
function cutShort(failure: unknown, copied: number, of: number): unknown {
  if (!(failure instanceof StorageFailure)) return failure
  return upstreamFailed(
    `${failure.message} ${copied} of ${counted(of, 'file')} copied: run this again, and it copies the others.`,
    { cause: failure.cause },
  )
}

/** The files of a folder that rows name, in order, including those marked as missing. Files that are being written have no row yet. */
function namedFiles(db: Db, stores: FileStores, folder: FileFolder): AsyncGenerator<NamedFile> {
  if (folder === 'images') return onShelf(imageShelf({ db, images: stores.images }))
  if (folder === 'files') return onShelf(fileShelf({ db, files: stores.files }))
  const queries = folder === 'answers' ? idempotencyQueries(db) : responseQueries(db)
  return bodies(queries.bodyFiles)
}

async function* onShelf(shelf: Shelf): AsyncGenerator<NamedFile> {
  for (const which of ['expected', 'missing'] as const)
    for await (const page of placesOf(shelf, which)) for (const place of page) yield { key: place.key, place }
}

async function* bodies(query: {
  all(): Awaitable<{ body_file: string | null }[]>
}): AsyncGenerator<NamedFile> {
  for (const { body_file } of await query.all()) if (body_file !== null) yield { key: body_file }
}
