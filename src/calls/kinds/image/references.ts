// The images that a caller refers to, found and read: only their own, finished, distinct, and within the size limits.
import {
  conflict,
  type GatewayError,
  invalidRequest,
  notFound,
  unprocessable,
} from '../../../domain/errors.ts'
import { freeBytes } from '../../../http/free-bytes.ts'
import { findFile, isStored, readFile, type StoredFile } from '../../../library/files.ts'
import { findGeneration, readGeneration } from '../../../library/generations.ts'
import type { Library } from '../../../library/library.ts'
import { isUuid, ownerOfKey } from '../../../library/names.ts'
import { type DataUriImage, isImageDataUri, parseDataUri } from '../../../media/data-uri.ts'
import { MAX_REFERENCES_BYTES } from '../../../media/limits.ts'
import type { FetchImage } from '../../../media/remote.ts'
import { sendable } from '../../../media/sendable.ts'
import { readError } from '../../parsing/parser.ts'
import type { FoundReference, Source } from './order.ts'

export interface ReferenceDeps {
  library: Library
  fetchImage: FetchImage
}

/** The account that refers to images, and its limits. */
export interface Referrer {
  account_id: number
  /** Fires when the caller disconnects. */
  gone: AbortSignal
  /** Waits until this many bytes of stored images may be read. */
  reserve: (bytes: number) => Promise<void>
}

/** A stored image, which is read only after all images are known to fit. */
interface Stored {
  bytes: number
  read: () => Promise<FoundImage>
}

/** A reference in one of the four formats. */
type FoundImage = DataUriImage & Pick<FoundReference, 'parent'>

/** An image, and its SHA-256 if already known. */
interface DigestedImage extends DataUriImage {
  readonly sha256?: string
}

const RETRY_AFTER_S = 2

/**
 * Finds the images that a request refers to. All references are checked for form before any lookup, and all stored images are
 * looked up before any URL is fetched. Uploads are skipped: they are stored and read only after the hold.
 * @returns the images in the order of their sources, in formats that every provider reads
 * @throws GatewayError with the codes of spec.md, Image endpoints: invalid_image_key, invalid_generation_id, duplicate_reference,
 * IMAGE_NOT_FOUND, generation_not_found, generation_not_ready, IMAGES_TOO_LARGE_TOTAL, and those of data URIs and URLs
 */
export async function findReferences(
  { library, fetchImage }: ReferenceDeps,
  { account_id, gone, reserve }: Referrer,
  sources: readonly Source[],
): Promise<FoundReference[]> {
  const referred = sources.filter((source) => source.kind !== 'upload')
  for (const source of referred) assertForm(source, account_id)
  assertDistinct(referred.map(nameOf))
  const stored: (Stored | undefined)[] = []
  for (const source of referred) stored.push(await findStored(library, account_id, source))
  const stored_bytes = stored.map((found) => found?.bytes ?? 0)
  assertTotal(stored_bytes)
  const data = readDataUris(referred)
  const inline = await Promise.all(
    referred.map(
      (source, at) => data[at] ?? (source.kind === 'inline' ? fetchImage(source.text, gone) : undefined),
    ),
  )
  assertDistinct(inline.flatMap((image) => (image ? [digestOf(image)] : [])))
  assertTotal(referred.map((_, at) => stored[at]?.bytes ?? inline[at]?.bytes.length ?? 0))
  await reserve(stored_bytes.reduce((total, bytes) => total + bytes, 0))
  return Promise.all(referred.map(async (_, at) => asSendable(inline[at] ?? (await stored[at]?.read()))))
}

/** Reads an upload of the caller as a reference. */
export async function readUpload(library: Library, file: StoredFile): Promise<FoundImage> {
  const bytes = await readFile(library, file)
  if (!bytes) throw fileMissing()
  return asSendable({ bytes, mime: file.mime, parent: file.key })
}

/** Decodes one data URI after the other, so that memory is bounded. @returns undefined for a source that is not a data URI */
function readDataUris(sources: readonly Source[]): (DigestedImage | undefined)[] {
  const images: DataUriImage[] = []
  return sources.map((source) => {
    const text = textOf(source)
    if (!isImageDataUri(text)) return undefined
    const image = decodedOf(source) ?? parseDataUri(text)
    images.push(image)
    try {
      assertTotal(images.map(({ bytes }) => bytes.length))
    } catch (thrown) {
      for (const { bytes } of images) freeBytes(bytes)
      throw thrown
    }
    return image
  })
}

/** @throws GatewayError the error of its decoding */
function decodedOf(source: Source): DigestedImage | undefined {
  if (source.kind !== 'inline' || !source.decoded) return undefined
  if ('error' in source.decoded) throw readError(source.decoded.error)
  return { ...source.decoded.image, sha256: source.decoded.sha256 }
}

function assertForm(source: Source, account_id: number): void {
  if (source.kind === 'file' && ownerOfKey(source.key) !== account_id) throw invalidKey()
  if (source.kind === 'generation' && !isUuid(source.uuid)) throw invalidId()
}

/** Returns the same name for two references to the same image. */
function nameOf(source: Source): string {
  if (source.kind === 'file') return source.key
  if (source.kind === 'generation') return source.uuid.toLowerCase()
  return textOf(source)
}

const textOf = (source: Source): string => (source.kind === 'inline' ? source.text : '')

function assertDistinct(names: readonly string[]): void {
  if (new Set(names).size < names.length)
    throw invalidRequest('The same image is referenced more than once. Refer to each image once.', {
      code: 'duplicate_reference',
    })
}

export function assertTotal(sizes_bytes: readonly number[]): void {
  const total_bytes = sizes_bytes.reduce((total, bytes) => total + bytes, 0)
  if (total_bytes > MAX_REFERENCES_BYTES)
    throw invalidRequest(
      `The referenced images are larger than ${MAX_REFERENCES_BYTES / 1024 / 1024} MB together. Use smaller ones.`,
      { code: 'IMAGES_TOO_LARGE_TOTAL' },
    )
}

/** @returns undefined if the source is not a stored image */
async function findStored(library: Library, account_id: number, source: Source): Promise<Stored | undefined> {
  if (source.kind === 'file') return await findStoredFile(library, account_id, source.key)
  if (source.kind === 'generation') return await findStoredGeneration(library, account_id, source.uuid)
  return undefined
}

async function findStoredFile(library: Library, account_id: number, key: string): Promise<Stored> {
  const row = await findFile(library.db, account_id, key)
  if (!row) throw fileNotFound()
  if (!isStored(row)) throw notReady('This file is still being stored.')
  return { bytes: row.bytes, read: () => readUpload(library, row) }
}

async function findStoredGeneration(library: Library, account_id: number, uuid: string): Promise<Stored> {
  const row = await findGeneration(library.db, account_id, uuid)
  if (!row) throw generationNotFound()
  const { state, bytes, mime } = row
  if (state === 'generating') throw notReady('This image is still being generated.')
  if (state === 'failed' || bytes === null || mime === null) throw failedGeneration()
  return {
    bytes,
    async read() {
      const content = await readGeneration(library, row)
      if (!content) throw generationMissing()
      return { bytes: content, mime, parent: row.uuid }
    },
  }
}

/** Converts an image to a format that providers accept. @returns the same object if nothing changes */
export async function asSendable<Image extends FoundImage>(image: Image | undefined): Promise<Image> {
  if (!image) throw new Error('a reference was neither stored nor inline')
  const { bytes, mime } = await sendable(image.bytes, image.mime)
  return bytes === image.bytes ? image : { ...image, bytes, mime }
}

const digestOf = ({ bytes, sha256 }: DigestedImage): string =>
  sha256 ?? new Bun.CryptoHasher('sha256').update(bytes).digest('hex')

const invalidKey = (): GatewayError =>
  invalidRequest('The image key is not one of yours. Use a key from POST /api/v1/upload.', {
    code: 'invalid_image_key',
  })
const invalidId = (): GatewayError =>
  invalidRequest('A generation id must be a UUID, as svc_generation_ids has it.', {
    code: 'invalid_generation_id',
  })
const fileNotFound = (): GatewayError =>
  notFound('File not found; it was deleted. Upload the image again.', { code: 'IMAGE_NOT_FOUND' })
const generationNotFound = (): GatewayError =>
  notFound('Generation not found. GET /api/images/history lists yours.', {
    code: 'generation_not_found',
  })
const fileMissing = (): GatewayError =>
  notFound('This file is missing. Retry later, or upload it again.', {
    code: 'IMAGE_NOT_FOUND',
  })
const generationMissing = (): GatewayError =>
  notFound('This image is missing. Retry later, or refer to another one.', { code: 'generation_not_found' })
const notReady = (what: string): GatewayError =>
  conflict(`${what} Retry after 1 to 2 seconds.`, {
    code: 'generation_not_ready',
    retry_after_s: RETRY_AFTER_S,
  })
const failedGeneration = (): GatewayError =>
  unprocessable('The referenced generation failed and has no image. Refer to another one.', {
    code: 'generation_not_ready',
  })
