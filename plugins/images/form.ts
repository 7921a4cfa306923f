// The form of an edit whose image comes along: the image is written to disk as it arrives, and becomes a file of the caller once the call is paid.

import {
  type GatewayError,
  invalidRequest,
  payloadTooLarge,
  toGatewayError,
} from '../../src/domain/errors.ts'
import type { Admitted } from '../../src/exchange/admission.ts'
import type { ReadOrder } from '../../src/exchange/image/call.ts'
import { type FilePart, readForm } from '../../src/http/multipart.ts'
import { beginIntake } from '../../src/library/intake.ts'
import type { Library } from '../../src/library/library.ts'
import { checkFields } from './fields.ts'
import { FORM_BODY_LIMIT_BYTES, FormFields } from './model.ts'
import { orderOf } from './orders.ts'

/** The name in spec.md, Image edit request, multipart form, and the one under which OpenAI's SDK sends an array. */
const IMAGE_FIELDS: ReadonlySet<string> = new Set(['image', 'image[]'])
const MAX_FIELDS = 20
/** The image itself, in base64, and in the request that is sent upstream. */
const COPIES = 4

/**
 * Reads the form.
 *
 * @throws GatewayError for a malformed form, for its fields, and for an image that cannot be stored
 */
export async function readEditForm(
  library: Library,
  { origin, caller, place }: Admitted,
): Promise<ReadOrder> {
  const intake = beginIntake(library, caller.account.id)
  const hash = new Bun.CryptoHasher('sha256')
  const values: Record<string, unknown> = {}
  let image_bytes = 0
  try {
    await readForm(origin.request, {
      body_limit_bytes: FORM_BODY_LIMIT_BYTES,
      max_files: 2,
      max_fields: MAX_FIELDS,
      gone: place.gone,
      onProgress: () => place.progressed('caller'),
      field(name, value) {
        if (Object.hasOwn(values, name))
          throw invalidRequest(`${name}: is given more than once.`, { param: name })
        values[name] = name === 'n' && /^\d{1,9}$/.test(value) ? Number(value) : value
      },
      async file(part) {
        assertOnlyImage(part, image_bytes > 0)
        const counted = hashed(part.content, hash, (bytes) => {
          image_bytes += bytes
        })
        await intake.add({ filename: part.filename, content: counted })
      },
    })
    if (image_bytes === 0)
      throw invalidRequest('image: is required; it must be an image file.', { param: 'image' })
    const fields = checkFields(FormFields, values)
    const content = [JSON.stringify(fields), hash.digest('hex')]
    const keep = async () => {
      const [file] = await intake.commit()
      if (!file) throw new Error('an image that was taken in has no row')
      return file
    }
    const order = orderOf('edit', fields, {
      sources: [{ kind: 'upload', keep }],
      content,
      kept_bytes: image_bytes * COPIES,
    })
    return { order, discard: () => intake.abandon() }
  } catch (thrown) {
    await intake.abandon()
    throw inTermsOfEdits(thrown)
  }
}

function assertOnlyImage({ field }: FilePart, has_one: boolean): void {
  if (!IMAGE_FIELDS.has(field))
    throw invalidRequest(`${field.slice(0, 64)}: no file is taken under this name. Send one as "image".`, {
      param: field.slice(0, 64),
    })
  if (has_one)
    throw invalidRequest('image: an edit takes one image. Use /v1/images/compose for several.', {
      param: 'image',
    })
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

/** 400 for an image that is too large (spec.md, Image endpoints), 413 for the form as a whole (silent.md, Images). */
function inTermsOfEdits(thrown: unknown): GatewayError {
  const error = toGatewayError(thrown)
  if (error.kind !== 'payload_too_large' || error.code === 'QUOTA_EXCEEDED') return error
  const whole = error.code !== 'IMAGE_TOO_LARGE'
  return (whole ? payloadTooLarge : invalidRequest)(error.message, {
    code: 'IMAGE_TOO_LARGE',
    ...(whole ? {} : { param: 'image' }),
    cause: error,
  })
}
