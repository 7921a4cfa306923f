// The JSON body of an image request: a large one is parsed on a thread, which also decodes its images.
import { deploymentOf } from '../../../http/azure-paths.ts'
import { MAX_REFERENCES_BYTES } from '../../../media/limits.ts'
import type { JsonObject } from '../../../protocols/wire/json.ts'
import { parseJsonBody } from '../../../protocols/wire/json-body.ts'
import { receiveBody } from '../../bodies/arrival.ts'
import type { BodyParts } from '../../bodies/parts.ts'
import type { Admitted } from '../../life/call.ts'
import type { InlineImage, OpenedImages } from '../../parsing/messages.ts'
import { NO_BODY_ID, readError } from '../../parsing/parser.ts'

/** Decoded images, by the names that replace their data URIs. */
export type InlineImages = ReadonlyMap<string, InlineImage>

interface ImagesBody {
  json: JsonObject
  images: InlineImages
  sha256: string
  size_bytes: number
}

/** The fields that may hold data URIs; MAX_IMAGES is the limit of each: spec.md, Image compose request. */
const FIELDS = ['image_urls', 'images', 'mask'] as const
const MAX_IMAGES = 3
/** The body as bytes and as text, its images as text and as bytes. */
const COPIES = 4
const MAX_BYTES_ON_LOOP = 1024 * 1024

/** @throws GatewayError as `receiveBody` and `parseJsonBody`; overloaded if the thread fails */
export async function readImagesBody(
  bodies: BodyParts,
  admitted: Admitted,
  limit_bytes: number,
): Promise<ImagesBody> {
  const body = await readAsSent(bodies, admitted, limit_bytes)
  const model = deploymentOf(admitted.origin.request)
  return model === undefined ? body : { ...body, json: { ...body.json, model } }
}

async function readAsSent(bodies: BodyParts, admitted: Admitted, limit_bytes: number): Promise<ImagesBody> {
  // The balance is checked later, after the fields and the references (silent.md, Images: order of checks).
  const { bytes, release } = await receiveBody(bodies, admitted, {
    limit_bytes,
    copies: COPIES,
    isFree: () => true,
  })
  const size_bytes = bytes.length
  try {
    if (size_bytes <= MAX_BYTES_ON_LOOP)
      return {
        size_bytes,
        json: parseJsonBody(bytes).json,
        images: new Map(),
        sha256: new Bun.CryptoHasher('sha256').update(bytes).digest('hex'),
      }
    const { value, error } = await bodies.parser.ask({
      body_id: NO_BODY_ID,
      bytes,
      question: {
        ask: 'images',
        fields: FIELDS,
        max_images: MAX_IMAGES,
        max_total_bytes: MAX_REFERENCES_BYTES,
      },
    })
    if (error) throw readError(error)
    return { ...(value as OpenedImages), size_bytes }
  } finally {
    release()
  }
}
