// The input bound of native requests: the places of media and signatures, and the allowed image types; everything else is text.

import {
  audioMedium,
  FRAMES_PER_S,
  fileMedium,
  imageMedium,
  type Medium,
  UNCOUNTED,
  videoMedium,
} from '../../domain/media/medium.ts'
import type { MediaWork } from '../../domain/media/work.ts'
import { GEMINI_IMAGE_TYPES } from '../image-types.ts'
import {
  type Bound,
  boundAll,
  cachedBound,
  each,
  encrypted,
  type FoundMedia,
  fields,
  mediumData,
  tools,
} from '../input-bound.ts'
import { tokensOfBytes } from '../token-sums.ts'
import { isObject, type JsonObject, objectIn, refusal, stringIn } from '../wire/json.ts'
import { fieldIn, pathOf } from './spellings.ts'

/**
 * The estimated tokens of an inlineData part that the model reads as text; 0 for media, which are counted by their own bytes.
 * @throws GatewayError invalid_request for an image type that is not allowed, and for data that is not base64
 */
export function inlineTokens(inline: JsonObject, path: string): number {
  const mime = readMime(inline, path)
  const data = inline.data
  const bytes = typeof data === 'string' ? decodedBytes(data) : undefined
  if (bytes === undefined) throw refusal(pathOf(path, 'data'), 'must be base64.')
  return isMedium(mime) ? 0 : tokensOfBytes(bytes)
}

const isMedium = (mime: string): boolean => /^(?:image|audio|video)\/|^application\/pdf$/.test(mime)

/** The bound of a part, whose other fields decide how its media count. */
const partMedia = (rest: Readonly<Record<string, Bound>>): Bound => {
  const others = { ...rest, fileData: fileBound, file_data: fileBound }
  const withoutInline = fields(others)
  return (part, media) => {
    if (!isObject(part) || (part.inlineData === undefined && part.inline_data === undefined))
      return withoutInline(part, media)
    const frames_per_s = framesPerSecond(part)
    const inline: Bound = (value, found) => inlineBound(value, found, frames_per_s)
    return fields({ ...others, inlineData: inline, inline_data: inline })(part, media)
  }
}

/** "Up to 24": https://ai.google.dev/api/caching#VideoMetadata */
const MAX_FRAMES_PER_S = 24

function framesPerSecond(part: JsonObject): number {
  const { fps } = objectIn(part.videoMetadata ?? part.video_metadata)
  if (fps === undefined || fps === null) return FRAMES_PER_S
  // The provider may accept the number in another type, too.
  const rate = Number(fps)
  return rate > 0 ? Math.min(Math.max(rate, FRAMES_PER_S), MAX_FRAMES_PER_S) : MAX_FRAMES_PER_S
}

function inlineBound(inline: Parameters<Bound>[0], media: FoundMedia, frames_per_s: number): number {
  const { mimeType, mime_type } = objectIn(inline)
  const mime = stringIn(mimeType ?? mime_type)?.toLowerCase() ?? ''
  return fields({ data: mediumData((data, work) => mediumOf(data, mime, { frames_per_s, work })) })(
    inline,
    media,
  )
}

function mediumOf(
  data: string,
  mime: string,
  { frames_per_s, work }: { frames_per_s: number; work: MediaWork },
): Medium | undefined {
  switch (mime.slice(0, mime.indexOf('/'))) {
    case 'image':
      return imageMedium(data)
    case 'audio':
      return audioMedium(data)
    case 'video':
      return videoMedium(data, frames_per_s)
    default:
      return fileMedium(data, mime, work)
  }
}

/** The provider reads such an address as a video, whatever its type: https://ai.google.dev/gemini-api/docs/video-understanding#youtube */
const VIDEO_ADDRESS = /youtu\.?be/i

/** A file of unknown length: the gateway does not see its content. */
const fileBound: Bound = (file, media) => {
  if (isObject(file)) {
    const mime = stringIn(file.mimeType ?? file.mime_type)?.toLowerCase() ?? ''
    const address = stringIn(file.fileUri ?? file.file_uri) ?? ''
    media.push(mime.startsWith('image/') && !VIDEO_ADDRESS.test(address) ? { kind: 'image' } : UNCOUNTED)
  }
  return boundAll(file)
}

function readMime(inline: JsonObject, path: string): string {
  const found = fieldIn(inline, 'mimeType', 'mime_type', path)
  const param = pathOf(path, found?.name ?? 'mimeType')
  if (typeof found?.value !== 'string' || !found.value.includes('/'))
    throw refusal(param, 'must be a MIME type, such as image/png.')
  const mime = found.value.toLowerCase()
  if (mime.startsWith('image/') && !GEMINI_IMAGE_TYPES.includes(mime))
    throw refusal(param, `must be one of ${GEMINI_IMAGE_TYPES.join(', ')}.`)
  return mime
}

/**
 * The number of bytes in a base64 text; undefined if it is not base64. The native decoder skips invalid characters, so a text that
 * decodes to its full length has none. This is ten times faster than a regular expression.
 */
function decodedBytes(data: string): number | undefined {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  const digits = data.length - padding
  if (digits === 0 || digits % 4 === 1) return undefined
  const expected = Math.floor((digits * 3) / 4)
  return Buffer.from(data, 'base64').length === expected ? expected : undefined
}

/** Function responses may contain further parts. */
const parts: Bound = (value, media) => eachPart(value, media)
const functionResponse = fields({ parts })

/** Each name in both spellings. */
const part = partMedia({
  functionResponse,
  function_response: functionResponse,
  thoughtSignature: encrypted,
  thought_signature: encrypted,
})

const eachPart = each(part)

const content = fields({ parts })
const system = cachedBound(content)

/** The most tokens of a native request. */
export const requestBound: Bound = fields({
  contents: each(cachedBound(content)),
  systemInstruction: system,
  system_instruction: system,
  tools,
})
