// The size of an image, read from its header, which determines its maximum tokens.

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** If the size is not within these bytes, the image counts as the largest of its family. */
export const IMAGE_HEAD_BYTES = 256 * 1024

/** @returns pixels; undefined for formats other than PNG, JPEG and WebP, or if the header does not state them */
export function imageSizeOf(head: Buffer): ImageSize | undefined {
  const size = pngSize(head) ?? webpSize(head) ?? jpegSize(head)
  return size && size.width > 0 && size.height > 0 ? size : undefined
}

const PNG_BEGIN = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'
/** https://www.w3.org/TR/png-3/#11IHDR */
const pngSize = (head: Buffer): ImageSize | undefined =>
  head.length >= 24 && head.toString('latin1', 0, 16) === PNG_BEGIN
    ? { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
    : undefined

/** RFC 9649, sections 2.4 to 2.7 */
function webpSize(head: Buffer): ImageSize | undefined {
  if (
    head.length < 30 ||
    head.toString('latin1', 0, 4) !== 'RIFF' ||
    head.toString('latin1', 8, 12) !== 'WEBP'
  )
    return undefined
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 }
    case 'VP8L': {
      const bits = head.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
    default:
      return undefined
  }
}

const START_OF_SCAN = 0xda
const FIRST_WITH_LENGTH = 0xc0
const isBare = (marker: number): boolean => marker >= 0xd0 && marker <= 0xd9
/** Whether a marker begins a frame; others in this range begin tables. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** ISO/IEC 10918-1, section B.2.2 */
function jpegSize(head: Buffer): ImageSize | undefined {
  if (head[0] !== 0xff || head[1] !== 0xd8) return undefined
  let size: ImageSize | undefined
  let at = 2
  while (at + 9 <= head.length && head[at] === 0xff) {
    const marker = head[at + 1] ?? 0
    if (marker === 0xff) {
      at++
      continue
    }
    if (marker === START_OF_SCAN) return size
    // Decoders differ in where they continue after a marker without a length, or bytes that are no marker.
    const length = head.readUInt16BE(at + 2)
    if (marker < FIRST_WITH_LENGTH || isBare(marker) || length < 2) return undefined
    // Of two frames decoders may use either one.
    if (isFrame(marker)) {
      const [height, width] = [head.readUInt16BE(at + 5), head.readUInt16BE(at + 7)]
      if (width === 0 || height === 0) return undefined
      size = { width: Math.max(width, size?.width ?? 0), height: Math.max(height, size?.height ?? 0) }
    }
    at += 2 + length
  }
  return undefined
}
