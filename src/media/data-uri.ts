// Data URIs: images inside a request. Pure.
import { type GatewayError, invalidRequest, payloadTooLarge } from '../domain/errors.ts'
import { type ImageMime, isImageMime, sniffImage } from '../domain/image-formats.ts'
import { MAX_DATA_URI_CHARS, MAX_IMAGE_BYTES, tooLargeMessage } from './limits.ts'

export interface DataUriImage {
  readonly bytes: Uint8Array
  readonly mime: ImageMime
}

/** RFC 2397, in the form of spec.md, Image compose request, only: no parameters, base64 required. Type and scheme are case-insensitive. */
const HEAD = /^data:(image\/[a-z]+);base64,/i
const MAX_HEAD_CHARS = 32

/** Whether a reference is a data URI of an image; all others are URLs. */
export const isImageDataUri = (text: string): boolean => /^data:image\//i.test(text)

/**
 * Parses `data:image/<jpeg|png|gif|webp>;base64,<data>`.
 * @returns the bytes, at most 25 MB, whose signature matches the type; the image itself is not decoded
 * @throws GatewayError payload_too_large with code `image_too_large` for a text over 35 MB, before it is parsed;
 * invalid_request with code `image_too_large` (over 25 MB decoded), `invalid_data_uri` or `MAGIC_MISMATCH`
 */
export function parseDataUri(text: string): DataUriImage {
  if (text.length > MAX_DATA_URI_CHARS)
    throw payloadTooLarge('A data URI may have at most 35 MB. Send a smaller image.', {
      code: 'image_too_large',
    })
  const [head = '', type = ''] = HEAD.exec(text.slice(0, MAX_HEAD_CHARS)) ?? []
  const mime = type.toLowerCase()
  if (!isImageMime(mime))
    throw malformed('A data URI must begin with data:image/, one of jpeg, png, gif or webp, and ;base64,.')
  const bytes = decodeBase64(text.slice(head.length))
  if (sniffImage(bytes) !== mime)
    throw invalidRequest(`The data URI says ${mime}, but its bytes are something else.`, {
      code: 'MAGIC_MISMATCH',
    })
  return { bytes, mime }
}

/** Decodes strictly by RFC 4648, in either alphabet (§4, §5), padded or not. `Buffer.from` would skip invalid characters. */
function decodeBase64(text: string): Uint8Array {
  if (text === '') throw malformed('The data URI has no data after its comma.')
  if ((text.length / 4) * 3 - 2 > MAX_IMAGE_BYTES) throw tooLarge()
  const bytes = strictBytes(padded(/[-_]/.test(text) ? text.replaceAll('-', '+').replaceAll('_', '/') : text))
  if (bytes.length > MAX_IMAGE_BYTES) throw tooLarge()
  return bytes
}

const padded = (text: string): string =>
  text.length % 4 > 1 && !text.endsWith('=') ? text.padEnd(Math.ceil(text.length / 4) * 4, '=') : text

/** `fromBase64` checks the alphabet, the padding and the unused bits, but skips white space, which the length reveals. */
function strictBytes(text: string): Uint8Array {
  try {
    const bytes = Uint8Array.fromBase64(text, { lastChunkHandling: 'strict' })
    if (text.length === Math.ceil(bytes.length / 3) * 4) return bytes
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw malformed('The data of the data URI is not valid base64.')
}

const malformed = (message: string): GatewayError => invalidRequest(message, { code: 'invalid_data_uri' })

const tooLarge = (): GatewayError =>
  invalidRequest(tooLargeMessage(MAX_IMAGE_BYTES), { code: 'image_too_large' })
