// Receiving of uploaded images: counted before they are written, decoded before they are stored; all of a request or none.
import {
  type GatewayError,
  ignoreStorageFailure,
  invalidRequest,
  overloaded,
  permissionDenied,
} from '../domain/errors.ts'
import { formatOf, type ImageMime, sniffImage } from '../domain/image-formats.ts'
import type { Size } from '../domain/image-size.ts'
import { freeBytes, freedOnceRead } from '../http/free-bytes.ts'
import { type ImageFacts, inspectImage } from '../media/inspect.ts'
import { FILE_QUOTA_BYTES, MAX_IMAGE_BYTES } from '../media/limits.ts'
import { IMAGES_AT_ONCE } from '../media/sharp.ts'
import type { Db, Tx } from '../store/db.ts'
import type { FileRow } from '../store/schema.ts'
import { createSlots } from '../utilities/slots.ts'
import { isStored, type StoredFile } from './files.ts'
import type { Library } from './library.ts'
import { fileKeyOf, safeFileName, storeKeyOf } from './names.ts'
import { fileQueries } from './queries.ts'
import { quotaExceeded, usedBytes } from './quota.ts'

interface NewFile {
  /** The caller's name for it. */
  filename: string
  /** Its parts must not be used elsewhere, since their memory is freed after writing. */
  content: AsyncIterable<Uint8Array>
}

/** The files of one request, stored together. It must end with `commit` or `abandon`. */
export interface Intake {
  /**
   * Writes one file to the disk and decodes it. It cannot be read before the commit.
   * @returns its size as displayed
   * @throws GatewayError invalid_request (`IMAGE_TYPE_UNSUPPORTED`, `IMAGE_TOO_LARGE` for too many pixels,
   * `invalid_request` for a damaged image); payload_too_large (`IMAGE_TOO_LARGE`, `QUOTA_EXCEEDED`), before the limit is
   * exceeded on the disk
   */
  add(file: NewFile): Promise<Size>
  /**
   * Stores all files.
   * @throws GatewayError payload_too_large (`QUOTA_EXCEEDED`); permission_denied for an erased account; overloaded if other gateways
   * considered this one dead. Then none of the files is stored
   */
  commit(): Promise<StoredFile[]>
  /** Deletes all files and their rows. Does nothing after a commit. */
  abandon(): Promise<void>
}

/** A file with a row. */
type Announced = Pick<FileRow, 'id' | 'key'>

/** A written and decoded file. */
type Checked = Pick<StoredFile, 'id' | 'bytes' | 'sha256' | 'width' | 'height'>

/** Files wait for decoding on the disk, not in memory: only as many are read as sharp.ts decodes concurrently. */
const inSlot = createSlots(IMAGES_AT_ONCE)
/** Enough to recognise any of the four formats. */
const SNIFFED_BYTES = 16

/** Begins to receive files for an account. */
export function beginIntake(library: Library, account_id: number): Intake {
  const { db, files: store, quota, now, probe, gateway_id } = library
  const reservation = quota.reserve(account_id)
  const announced: Announced[] = []
  const checked: Checked[] = []
  let ended = false

  /** Inserts the row before the file exists; it is deleted after the file, so that a crash leaves no file without a row. */
  async function announce(filename: string, mime: ImageMime): Promise<Announced> {
    const name = `${safeFileName(filename)}.${formatOf(mime)}`
    const key = fileKeyOf(account_id, crypto.randomUUID(), name)
    const row = { key, account_id, name, mime, created_at_ms: now(), gateway_id }
    const { id } = await db.write((db) => {
      if (ended) throw endedBefore()
      return fileQueries(db).insert.get(row)
    })
    if (ended) {
      await removeRows(db, [id])
      throw endedBefore()
    }
    announced.push({ id, key })
    return { id, key }
  }

  async function* counted(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      await reservation.take(chunk.length)
      yield chunk
    }
  }

  return {
    async add({ filename, content }) {
      const { mime, whole } = await sniff(content)
      const { id, key } = await announce(filename, mime)
      probe('file.announced')
      const { bytes, sha256 } = await store.put(storeKeyOf(key), freedOnceRead(counted(whole)), {
        cap_bytes: MAX_IMAGE_BYTES,
      })
      probe('file.written')
      const { width, height } = await inspect(library, key)
      checked.push({ id, bytes, sha256, width, height })
      return { width, height }
    },
    async commit() {
      const added_bytes = checked.reduce((total, { bytes }) => total + bytes, 0)
      const rows = await db.begin(async (tx) => {
        await tx.lock(account_id)
        if ((await usedBytes(tx, account_id)) + added_bytes > FILE_QUOTA_BYTES) throw quotaExceeded()
        return await storeRows(tx, account_id, checked)
      })
      ended = true
      reservation.end(added_bytes)
      probe('file.stored')
      return rows.filter(isStored)
    },
    async abandon() {
      if (ended) return
      ended = true
      reservation.end(0)
      // A file that cannot be removed now has no row, by which a later start finds it.
      for (const { key } of announced) await store.remove(storeKeyOf(key)).catch(ignoreStorageFailure)
      probe('file.removed')
      await removeRows(
        db,
        announced.map(({ id }) => id),
      )
    },
  }
}

async function storeRows(tx: Tx, account_id: number, checked: readonly Checked[]): Promise<FileRow[]> {
  const rows: FileRow[] = []
  for (const facts of checked) {
    const row: FileRow | undefined = await fileQueries(tx).store.get({ ...facts })
    if (!row) throw await removedMeanwhile(tx, account_id)
    rows.push(row)
  }
  return rows
}

async function removeRows(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length > 0) await db.write((db) => fileQueries(db).remove.run({ ids: JSON.stringify(ids) }))
}

function inspect({ files: store }: Pick<Library, 'files'>, key: string): Promise<ImageFacts> {
  return inSlot(async () => {
    const file = await store.open(storeKeyOf(key))
    if (!file) throw new Error('an uploaded file vanished before it was decoded')
    const bytes = await file.bytes()
    const facts = await inspectImage(bytes)
    freeBytes(bytes)
    return facts
  })
}

const endedBefore = () => new Error('the intake ended before a file of it was announced')

const RETRY_AFTER_S = 1

/** The refusal if a row was removed during the upload: the account was erased, or other gateways considered this one dead. */
const removedMeanwhile = async (tx: Tx, account_id: number): Promise<GatewayError> =>
  (await fileQueries(tx).isErased.get({ account_id }))
    ? permissionDenied('This account is erased, so nothing can be stored for it.')
    : overloaded('The upload was interrupted, and none of its files was stored. Please send it again.', {
        code: 'storage_unavailable',
        retry_after_s: RETRY_AFTER_S,
      })

/** Reads the leading bytes. @returns the type detected by them, and the whole content, including these bytes */
async function sniff(
  content: AsyncIterable<Uint8Array>,
): Promise<{ mime: ImageMime; whole: AsyncIterable<Uint8Array> }> {
  const rest = content[Symbol.asyncIterator]()
  const head: Uint8Array[] = []
  for (let bytes = 0; bytes < SNIFFED_BYTES; ) {
    const { value, done } = await rest.next()
    if (done) break
    head.push(value)
    bytes += value.length
  }
  const mime = sniffImage(Buffer.concat(head))
  if (!mime)
    throw invalidRequest('The file must be a JPEG, PNG, GIF or WebP image.', {
      code: 'IMAGE_TYPE_UNSUPPORTED',
    })
  async function* whole() {
    yield* head
    yield* { [Symbol.asyncIterator]: () => rest }
  }
  return { mime, whole: whole() }
}
