// The four image formats that the gateway accepts: their media types, names and leading bytes.

/** The formats that a caller may request. */
export const OUTPUT_FORMATS = ['png', 'jpeg', 'webp'] as const
export type OutputFormat = (typeof OUTPUT_FORMATS)[number]
export type ImageFormat = OutputFormat | 'gif'
export type ImageMime = `image/${ImageFormat}`

interface Signature {
  readonly mime: ImageMime
  /** Latin-1 text that must be at each of these offsets. */
  readonly marks: readonly { readonly offset: number; readonly text: string }[]
}

/**
 * WHATWG MIME Sniffing §6.1, "image type pattern matching algorithm"; RFC 9649 for WebP.
 * https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern
 */
const SIGNATURES: readonly Signature[] = [
  { mime: 'image/jpeg', marks: [{ offset: 0, text: '\xff\xd8\xff' }] },
  { mime: 'image/png', marks: [{ offset: 0, text: '\x89PNG\r\n\x1a\n' }] },
  { mime: 'image/gif', marks: [{ offset: 0, text: 'GIF87a' }] },
  { mime: 'image/gif', marks: [{ offset: 0, text: 'GIF89a' }] },
  {
    mime: 'image/webp',
    marks: [
      { offset: 0, text: 'RIFF' },
      { offset: 8, text: 'WEBPVP' },
    ],
  },
]

/** Returns the media type by the leading bytes only; undefined if it is none of the four. */
export function sniffImage(bytes: Uint8Array): ImageMime | undefined {
  return SIGNATURES.find(({ marks }) => marks.every(({ offset, text }) => hasText(bytes, offset, text)))?.mime
}

/** Whether a media type, lower case and without parameters, is one of the four. */
export const isImageMime = (mime: string): mime is ImageMime =>
  SIGNATURES.some((signature) => signature.mime === mime)

/** `image/png` → `png`, also the file name extension. */
export const formatOf = (mime: ImageMime): ImageFormat => mime.slice('image/'.length) as ImageFormat

/** `png` → `image/png`. */
export const mimeOf = (format: ImageFormat): ImageMime => `image/${format}`

function hasText(bytes: Uint8Array, offset: number, text: string): boolean {
  return (
    bytes.length >= offset + text.length &&
    Array.from(text).every((character, index) => bytes[offset + index] === character.charCodeAt(0))
  )
}
