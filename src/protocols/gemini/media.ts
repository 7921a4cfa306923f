// Inline media of a request: which images are taken, and an estimate of the tokens that media cost.

import { INPUT_IMAGE_TOKENS } from '../../domain/token-estimate.ts'
import { type Bound, boundAll, fields, IMAGE_BOUND_TOKENS, mediumData } from '../input-bound.ts'
import { type JsonObject, objectIn, refusal, stringIn } from '../wire/json.ts'
import { find, join } from './spellings.ts'

/** The image types that the provider and the specification ("Allowed image MIME types") take. */
const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/heic', 'image/heif'])

/**
 * How many bytes of a medium make a token. The provider counts what it decodes
 * (https://ai.google.dev/gemini-api/docs/tokens): audio 32 tokens a second (taken at 64 kbit/s), video 290 a second (at
 * 1 Mbit/s), documents 258 a page (at 50 kB). Anything else is taken as text.
 */
const BYTES_PER_TOKEN = new Map([
  ['audio', 250],
  ['video', 400],
  ['application/pdf', 200],
])
const TEXT_BYTES_PER_TOKEN = 4
/** The gateway does not see a file that is only referred to: it counts as a minute of video. */
const UNSEEN_FILE_TOKENS = 16_384

/**
 * Tokens of an inlineData part, estimated.
 * @throws GatewayError invalid_request for an image type that is not allowed, and for data that is not base64
 */
export function inlineTokens(inline: JsonObject, path: string): number {
  const mime = readMime(inline, path)
  const data = inline.data
  const bytes = typeof data === 'string' ? decodedBytes(data) : undefined
  if (bytes === undefined) throw refusal(join(path, 'data'), 'must be base64.')
  return mediaTokens(mime, bytes)
}

/** Tokens of a fileData part, whose content the gateway does not see. */
export function fileTokens(file: JsonObject, path: string): number {
  const mime = find(file, 'mimeType', 'mime_type', path)?.value
  return typeof mime === 'string' && mime.startsWith('image/') ? INPUT_IMAGE_TOKENS : UNSEEN_FILE_TOKENS
}

/** The data of a part that may be media; in their place alone is it counted apart, and only if it is not a text. */
export const inlineBound: Bound = (inline) => {
  const { mimeType, mime_type } = objectIn(inline)
  const mime = stringIn(mimeType ?? mime_type)?.toLowerCase() ?? ''
  const family = mime.slice(0, mime.indexOf('/'))
  if (family === 'image') return IMAGE_BOUND_TOKENS + withoutData(inline)
  const bytes_per_token = bytesPerToken(mime)
  if (bytes_per_token === undefined) return boundAll(inline)
  return fields({ data: mediumData(({ length }) => Math.ceil((length * 3) / 4 / bytes_per_token)) })(inline)
}

const withoutData = fields({ data: mediumData(() => 0) })

/** A file, whose content the gateway does not see. */
export const fileBound: Bound = (file) =>
  boundAll(file) + Math.max(IMAGE_BOUND_TOKENS, fileTokens(objectIn(file), ''))

/** Undefined for what is read as text. */
const bytesPerToken = (mime: string): number | undefined =>
  BYTES_PER_TOKEN.get(mime) ?? BYTES_PER_TOKEN.get(mime.slice(0, mime.indexOf('/')))

function readMime(inline: JsonObject, path: string): string {
  const found = find(inline, 'mimeType', 'mime_type', path)
  const param = join(path, found?.name ?? 'mimeType')
  if (typeof found?.value !== 'string' || !found.value.includes('/'))
    throw refusal(param, 'must be a MIME type, such as image/png.')
  const mime = found.value.toLowerCase()
  if (mime.startsWith('image/') && !IMAGE_TYPES.has(mime))
    throw refusal(param, `must be one of ${[...IMAGE_TYPES].join(', ')}.`)
  return mime
}

function mediaTokens(mime: string, bytes: number): number {
  const family = mime.slice(0, mime.indexOf('/'))
  if (family === 'image') return INPUT_IMAGE_TOKENS
  return Math.ceil(bytes / (bytesPerToken(mime) ?? TEXT_BYTES_PER_TOKEN))
}

/**
 * The number of bytes that a base64 text stands for; undefined if it is not base64. The native decoder skips other
 * characters, so a text that decodes to its full length has none; that is ten times faster than a regular expression.
 */
function decodedBytes(data: string): number | undefined {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  const digits = data.length - padding
  if (digits === 0 || digits % 4 === 1) return undefined
  const expected = Math.floor((digits * 3) / 4)
  return Buffer.from(data, 'base64').length === expected ? expected : undefined
}
