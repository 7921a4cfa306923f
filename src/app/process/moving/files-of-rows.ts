// The copy of the files that rows name to another place, with those that are missing.
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
  /** It has the rows that name the files, and is only read. */
  db: Db
  from: FileStores
  to: FileStores
  /** Called before anything is copied. What it throws ends the copy. */
  onPlan?: (plan: FilePlan) => void
  /** Called after each file, with its bytes. */
  onFile?: (bytes: number) => void
}

export interface MovedFiles {
  /** Files of rows that are in the new place now. */
  readonly files: number
  readonly bytes: number
  /** Of those, the ones that were copied by this run. */
  readonly copied: number
  /** Files of rows that are in neither place: such as `images/1/a.png`. */
  readonly missing: readonly MissingFile[]
  /** Of those that were copied, the ones that are not what their rows have: readers are refused them in both places. */
  readonly damaged: readonly string[]
  /** Files of rows that came into the old place meanwhile, beside a gateway at work. */
  readonly left: number
}

interface NamedFile {
  key: string
  /** Of the row of an image, which can be marked as missing. */
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
  /** Undefined where no row has it. */
  sha256: string | undefined
}

/** Each waits for the answer of a bucket, or for a disk. */
const FILES_AT_ONCE = 8

/**
 * Copies the files that rows name and a place lacks, by key and size. What no row names is not copied, and nothing is deleted on
 * either side: a run that was cut short is run again, and one beside a gateway at work leaves little to a second one.
 * @throws GatewayError upstream_failed where a bucket fails meanwhile: it says how far it came; what the disk and `onPlan` throw
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

/** @returns undefined where it was deleted meanwhile */
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
      // A file may have come since the list was made.
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

/** A bucket's failure in words; a disk's stays as it is. */
function cutShort(failure: unknown, copied: number, of: number): unknown {
  if (!(failure instanceof StorageFailure)) return failure
  return upstreamFailed(
    `${failure.message} ${copied} of ${counted(of, 'file')} copied: run this again, and it copies the others.`,
    { cause: failure.cause },
  )
}

/** The files of a folder that rows name, in their order, those marked as missing too. Files that are being written have no such row. */
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
