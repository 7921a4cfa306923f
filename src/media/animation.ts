// Detection of animated images by their structure, without decoding. Pure.
import { sniffImage } from '../domain/image-formats.ts'

/** Base64 of 12 KiB, which usually contains everything before the image data. */
const HEAD_CHARS = 16_384

/** @param data base64 of a whole file */
export function isAnimatedData(data: string): boolean {
  const head = Buffer.from(data.slice(0, HEAD_CHARS), 'base64')
  return isAnimatedHead(head) ?? isAnimated(Buffer.from(data, 'base64'))
}

/** Whether a GIF or PNG has more than one frame, or a WebP has the animation flag. A truncated file counts as still. */
export const isAnimated = (bytes: Uint8Array): boolean => isAnimatedHead(bytes) ?? false

/** @returns undefined if there are too few bytes to decide */
function isAnimatedHead(bytes: Uint8Array): boolean | undefined {
  switch (sniffImage(bytes)) {
    case 'image/png':
      return isAnimatedPng(bytes)
    case 'image/gif':
      return isAnimatedGif(bytes)
    case 'image/webp':
      return isAnimatedWebp(bytes)
    default:
      return false
  }
}

/** PNG (Third Edition) §5.2, §5.3 and §11.3.6.1: `acTL`, with the number of frames, comes before the first `IDAT`. */
const PNG_SIGNATURE_BYTES = 8
const CHUNK_OVERHEAD_BYTES = 12
const ANIMATION_CONTROL = 0x6163544c
const IMAGE_DATA = 0x49444154

function isAnimatedPng(bytes: Uint8Array): boolean | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = PNG_SIGNATURE_BYTES; at + CHUNK_OVERHEAD_BYTES <= bytes.length; ) {
    const type = view.getUint32(at + 4)
    if (type === IMAGE_DATA) return false
    if (type === ANIMATION_CONTROL) return view.getUint32(at + 8) > 1
    at += view.getUint32(at) + CHUNK_OVERHEAD_BYTES
  }
  return undefined
}

/** GIF89a, sections 18 to 27: an introducer begins each block, and a length of zero ends its data. */
const GIF_SCREEN_END = 13
const EXTENSION = 0x21
const IMAGE_DESCRIPTOR = 0x2c
const TRAILER = 0x3b
const IMAGE_DESCRIPTOR_BYTES = 10
const HAS_TABLE = 0x80

function isAnimatedGif(bytes: Uint8Array): boolean | undefined {
  let at = GIF_SCREEN_END + tableBytes(bytes[GIF_SCREEN_END - 3])
  let images = 0
  while (at < bytes.length) {
    const introducer = bytes[at]
    if (introducer === IMAGE_DESCRIPTOR) {
      images += 1
      if (images > 1) return true
      const tables_at = at + IMAGE_DESCRIPTOR_BYTES
      // The minimum code size is between the colour table and the data.
      at = blocksEnd(bytes, tables_at + tableBytes(bytes[tables_at - 1]) + 1)
    } else if (introducer === EXTENSION) at = blocksEnd(bytes, at + 2)
    else if (introducer === TRAILER) return false
    else at += 1
  }
  return undefined
}

/** Returns the length of a colour table, by its packed field. */
const tableBytes = (packed = 0): number => ((packed & HAS_TABLE) === 0 ? 0 : 3 * 2 ** ((packed & 7) + 1))

function blocksEnd(bytes: Uint8Array, from: number): number {
  let at = from
  for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at]) at += length + 1
  return at + 1
}

/** RFC 9649, section 2.7.1.1: the animation flag. */
const ANIMATION_FLAG = 0x02
const VP8X_FLAGS_AT = 20

function isAnimatedWebp(bytes: Uint8Array): boolean | undefined {
  if (bytes.length <= VP8X_FLAGS_AT) return undefined
  const is_extended = String.fromCharCode(...bytes.subarray(12, 16)) === 'VP8X'
  return is_extended && ((bytes[VP8X_FLAGS_AT] ?? 0) & ANIMATION_FLAG) !== 0
}
