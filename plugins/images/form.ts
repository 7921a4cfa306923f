// Image edits sent as a form: images are written to disk as they arrive, and become files of the caller once the call is paid.
import type { BodyParts } from '../../src/calls/bodies/parts.ts'
import { beforeForm } from '../../src/calls/hooks/before-call.ts'
import type { ReadOrder } from '../../src/calls/kinds/image/call.ts'
import { assertMasks, MAX_MASK_BYTES } from '../../src/calls/kinds/image/mask.ts'
import type { ImageOrder } from '../../src/calls/kinds/image/order.ts'
import type { Admitted } from '../../src/calls/life/call.ts'
import type { Catalogue } from '../../src/domain/catalogue.ts'
import {
  type GatewayError,
  invalidRequest,
  payloadTooLarge,
  toGatewayError,
} from '../../src/domain/errors.ts'
import { sniffImage } from '../../src/domain/image-formats.ts'
import type { Size } from '../../src/domain/image-size.ts'
import { deploymentOf } from '../../src/http/azure-paths.ts'
import { type FilePart, readForm } from '../../src/http/multipart.ts'
import type { StoredFile } from '../../src/library/files.ts'
import { beginIntake, type Intake } from '../../src/library/intake.ts'
import type { Library } from '../../src/library/library.ts'
import { sendable } from '../../src/media/sendable.ts'
import type { Reference } from '../../src/protocols/images.ts'
import { FORM_BODY_LIMIT_BYTES, fieldsFor, imageModelOf, MAX_REFERENCES } from './model.ts'
import { checkFields, orderOf } from './orders.ts'

/** The specified field name (spec.md, Image edit request, multipart form). OpenAI's SDK uses the second for an array. */
const IMAGE_FIELDS: ReadonlySet<string> = new Set(['image', 'image[]'])
const MAX_FIELDS = 20
/** Memory per image byte: the image, its base64, and the upstream request. */
const COPIES = 4

interface Parts {
  library: Library
  catalogue: () => Catalogue
  bodies: Pick<BodyParts, 'hooks'>
}

interface ReceivedFiles {
  /** The hash of each image, in the order of the form. */
  sha256: string[]
  image_bytes: number
  /** The displayed size of the first image. */
  first_size: Size | undefined
  mask: Reference | undefined
}

/** Reads the form. @throws GatewayError if the form or a field is invalid, or an image cannot be stored */
export async function readEditForm(
  { library, catalogue, bodies: { hooks } }: Parts,
  admitted: Admitted,
): Promise<ReadOrder> {
  const { origin, caller, place } = admitted
  const intake = beginIntake(library, caller.account.id)
  const values: Record<string, unknown> = {}
  const sent: Record<string, string> = {}
  const received: ReceivedFiles = { sha256: [], image_bytes: 0, first_size: undefined, mask: undefined }
  try {
    await readForm(origin.request, {
      body_limit_bytes: FORM_BODY_LIMIT_BYTES,
      max_files: MAX_REFERENCES + 2,
      max_fields: MAX_FIELDS,
      gone: place.gone.signal,
      onProgress: () => place.progressed('caller'),
      field(name, value) {
        if (Object.hasOwn(values, name))
          throw invalidRequest(`${name}: is given more than once.`, { param: name })
        values[name] = fieldValue(name, value)
        sent[name] = value
      },
      file: (part) => receive(intake, received, part),
    })
    const deployment = deploymentOf(origin.request)
    if (deployment !== undefined) {
      values.model = deployment
      sent.model = deployment
    }
    await beforeForm(hooks, admitted, Object.entries(sent))
    if (received.sha256.length === 0)
      throw invalidRequest('image: is required; it must be an image file.', { param: 'image' })
    if (received.mask && received.first_size) {
      await assertMasks(received.mask.bytes, received.first_size)
      received.mask = await sendable(received.mask.bytes, 'image/png')
    }
    return { order: orderOfForm(intake, catalogue(), values, received), discard: () => intake.abandon() }
  } catch (thrown) {
    await intake.abandon()
    throw toEditError(thrown)
  }
}

const NUMBERS: ReadonlySet<string> = new Set(['n', 'partial_images', 'output_compression'])

/** Converts the text of a form field. A text that is no valid number or boolean stays a text, which the schema refuses. */
function fieldValue(name: string, value: string): unknown {
  if (NUMBERS.has(name) && /^\d{1,9}$/.test(value)) return Number(value)
  if (name === 'stream' && (value === 'true' || value === 'false')) return value === 'true'
  return value
}

async function receive(intake: Intake, received: ReceivedFiles, part: FilePart): Promise<void> {
  const { field, filename, content } = part
  if (field === 'mask') {
    if (received.mask) throw invalidRequest('mask: is given more than once.', { param: 'mask' })
    received.mask = await readMask(content)
    return
  }
  assertImage(part, received.sha256.length)
  const hash = new Bun.CryptoHasher('sha256')
  const counted = hashed(content, hash, (bytes) => {
    received.image_bytes += bytes
  })
  const size = await intake.add({ filename, content: counted })
  received.first_size ??= size
  const sha256 = hash.digest('hex')
  if (received.sha256.includes(sha256))
    throw invalidRequest('image: the same image is sent more than once. Send each image once.', {
      code: 'duplicate_reference',
      param: 'image',
    })
  received.sha256.push(sha256)
}

/** Makes the order. Several images are a compose, except that the answer has the requested format. */
function orderOfForm(
  intake: Intake,
  { models }: Pick<Catalogue, 'models'>,
  values: Readonly<Record<string, unknown>>,
  { sha256, image_bytes, mask }: ReceivedFiles,
): ImageOrder {
  const fields = checkFields(fieldsFor.form(imageModelOf(models, values.model)), values)
  let committing: Promise<StoredFile[]> | undefined
  const keep = async (index: number) => {
    committing ??= intake.commit()
    const file = (await committing)[index]
    if (!file) throw new Error('an image that was taken in has no row')
    return file
  }
  const order = orderOf('edit', fields, {
    sources: sha256.map((_, index) => ({ kind: 'upload', keep: () => keep(index) })),
    content: [JSON.stringify(fields), ...sha256, mask?.bytes ?? ''],
    kept_bytes: (image_bytes + (mask?.bytes.length ?? 0)) * COPIES,
    mask,
  })
  return sha256.length === 1 ? order : { ...order, kind: 'compose' }
}

/** @throws GatewayError invalid_request if the mask is no PNG, or larger than OpenAI accepts */
async function readMask(content: FilePart['content']): Promise<Reference> {
  const chunks: Uint8Array[] = []
  let read_bytes = 0
  for await (const chunk of content) {
    read_bytes += chunk.length
    if (read_bytes > MAX_MASK_BYTES) throw invalidRequest('mask: may have at most 4 MB.', { param: 'mask' })
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  if (sniffImage(bytes) !== 'image/png')
    throw invalidRequest('mask: must be a PNG, transparent where the image is to change.', { param: 'mask' })
  return { bytes, mime: 'image/png' }
}

function assertImage({ field }: FilePart, received: number): void {
  if (!IMAGE_FIELDS.has(field))
    throw invalidRequest(
      `${field.slice(0, 64)}: unknown file field. Send images as "image", a mask as "mask".`,
      { param: field.slice(0, 64) },
    )
  if (received === MAX_REFERENCES)
    throw invalidRequest(`image: at most ${MAX_REFERENCES} images are allowed at once.`, { param: 'image' })
}

async function* hashed(
  content: AsyncIterable<Uint8Array>,
  hash: Bun.CryptoHasher,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) {
    hash.update(chunk)
    count(chunk.length)
    yield chunk
  }
}

/** Returns 400 for an image that is too large (spec.md, Image endpoints), and 413 for the form as a whole (silent.md, Images). */
function toEditError(thrown: unknown): GatewayError {
  const error = toGatewayError(thrown)
  if (error.kind !== 'payload_too_large' || error.code === 'QUOTA_EXCEEDED') return error
  const whole = error.code !== 'IMAGE_TOO_LARGE'
  return (whole ? payloadTooLarge : invalidRequest)(error.message, {
    code: 'IMAGE_TOO_LARGE',
    param: whole ? undefined : 'image',
    cause: error,
  })
}
