// Owns how uploaded images come in: counted before they are written, decoded before they are there, all of a request or none.
import { eq, inArray } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { files } from '../db/schema.ts'
import { invalidRequest } from '../domain/errors.ts'
import { formatOf, type ImageMime, sniffImage } from '../domain/image-formats.ts'
import { type ImageFacts, inspectImage } from '../media/inspect.ts'
import { FILE_QUOTA_BYTES, MAX_IMAGE_BYTES } from '../media/limits.ts'
import { createSlots } from '../media/slots.ts'
import { isStored, type StoredFile, usedBytes } from './files.ts'
import type { Library } from './library.ts'
import { fileKeyOf, safeName, storeKeyOf } from './names.ts'
import { quotaExceeded } from './quota.ts'

export interface NewFile {
  /** As its sender calls it. */
  filename: string
  content: AsyncIterable<Uint8Array>
}

/** Files that are taken in together. Ends with `commit` or `abandon`. */
export interface Intake {
  /**
   * Writes one file to the disk, and decodes it. It is not there for anybody before the commit.
   *
   * @throws GatewayError invalid_request (`IMAGE_TYPE_UNSUPPORTED`, `IMAGE_TOO_LARGE` by its pixels, `invalid_request`
   * for a damaged one); payload_too_large (`IMAGE_TOO_LARGE`, `QUOTA_EXCEEDED`), before a byte too many is written
   */
  add(file: NewFile): Promise<void>
  /** All of them are there. @throws GatewayError payload_too_large (`QUOTA_EXCEEDED`); none of them is there then */
  commit(): StoredFile[]
  /** Nothing of them stays. Does nothing after a commit. */
  abandon(): Promise<void>
}

/** An image that was sent along with a request. */
export interface Upload {
  account_id: number
  /** As the caller named it. */
  name: string
  bytes: Uint8Array
}

type Checked = Pick<StoredFile, 'id' | 'bytes' | 'sha256' | 'width' | 'height'>

/** A file waits for its decoding on the disk, not in memory: no more are read than sharp.ts lets decode at once. */
const inSlot = createSlots(2)
/** More than any of the four formats needs to be known. */
const SNIFFED_BYTES = 16

/** Begins to take in files for an account. */
export function beginIntake(library: Library, account_id: number): Intake {
  const { db, files: store, quota, now, probe } = library
  const orm = drizzle({ client: db })
  const reservation = quota.reserve(account_id)
  const announced: { id: number; key: string }[] = []
  const checked: Checked[] = []
  let ended = false

  /** The row comes first and goes last, so that no file is ever without one: a crash leaves what has a name. */
  function announce(filename: string, mime: ImageMime): { id: number; key: string } {
    const name = `${safeName(filename)}.${formatOf(mime)}`
    const key = fileKeyOf(account_id, crypto.randomUUID(), name)
    const row = { account_id, key, name, mime, state: 'storing' as const, bytes: 0, created_at_ms: now() }
    const { id } = orm.insert(files).values(row).returning({ id: files.id }).get()
    announced.push({ id, key })
    return { id, key }
  }

  async function* counted(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      reservation.take(chunk.length)
      yield chunk
    }
  }

  return {
    async add({ filename, content }) {
      const { mime, whole } = await sniff(content)
      const { id, key } = announce(filename, mime)
      probe('file.announced')
      const { bytes, sha256 } = await store.put(storeKeyOf(key), counted(whole), {
        cap_bytes: MAX_IMAGE_BYTES,
      })
      probe('file.written')
      const { width, height } = await inspect(library, key)
      checked.push({ id, bytes, sha256, width, height })
    },
    commit() {
      const added_bytes = checked.reduce((total, { bytes }) => total + bytes, 0)
      const rows = orm.transaction(
        (tx) => {
          if (usedBytes(db, account_id) + added_bytes > FILE_QUOTA_BYTES) throw quotaExceeded()
          return checked.map(({ id, ...facts }) =>
            tx
              .update(files)
              .set({ ...facts, state: 'stored' })
              .where(eq(files.id, id))
              .returning()
              .get(),
          )
        },
        { behavior: 'immediate' },
      )
      ended = true
      reservation.end(added_bytes)
      probe('file.stored')
      return rows.filter(isStored)
    },
    async abandon() {
      if (ended) return
      ended = true
      reservation.end(0)
      for (const { key } of announced) await store.remove(storeKeyOf(key))
      probe('file.removed')
      const ids = announced.map(({ id }) => id)
      if (ids.length > 0) orm.delete(files).where(inArray(files.id, ids)).run()
    },
  }
}

/** Stores one image that is already in memory. @throws as `Intake.add` and `Intake.commit`; nothing stays then */
export async function storeFile(library: Library, { account_id, name, bytes }: Upload): Promise<StoredFile> {
  const intake = beginIntake(library, account_id)
  try {
    await intake.add({ filename: name, content: onlyChunk(bytes) })
    const [stored] = intake.commit()
    if (!stored) throw new Error('a stored file has no row')
    return stored
  } finally {
    await intake.abandon()
  }
}

function inspect({ files: store }: Pick<Library, 'files'>, key: string): Promise<ImageFacts> {
  return inSlot(async () => {
    const file = await store.open(storeKeyOf(key))
    if (!file) throw new Error('a file vanished while it was taken in')
    return inspectImage(await file.bytes())
  })
}

/** The type by the leading bytes, before anything is written; and all of the bytes. */
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

async function* onlyChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}
