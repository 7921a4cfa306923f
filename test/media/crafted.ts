// Image files that no encoder would write: wrong sizes, too many frames, chunks of any kind.
import { crc32, deflateSync } from 'node:zlib'
import { concat } from './support.ts'

interface Sides {
  width: number
  height: number
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const uint16le = (value: number): Uint8Array => Uint8Array.of(value & 0xff, value >> 8)

/** PNG (Third Edition) §5.3. */
export function pngChunk(type: string, data: Uint8Array | string): Uint8Array {
  const body = concat(type, data)
  return concat(uint32(body.length - 4), body, uint32(crc32(body)))
}

const PNG_SIGNATURE = '\x89PNG\r\n\x1a\n'
const PNG_HEADER_BYTES = 8 + 25

/** A valid black PNG of one bit a pixel: some hundred kilobytes can be a thousand million pixels. */
export function blackPng(width: number, height: number): Uint8Array {
  const header = concat(uint32(width), uint32(height), Uint8Array.of(1, 0, 0, 0, 0))
  const rows = new Uint8Array((Math.ceil(width / 8) + 1) * height)
  return concat(
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(rows, { level: 1 })),
    pngChunk('IEND', ''),
  )
}

/** Puts chunks right after a PNG's header. */
export const withPngChunks = (png: Uint8Array, ...chunks: Uint8Array[]): Uint8Array =>
  concat(png.subarray(0, PNG_HEADER_BYTES), ...chunks, png.subarray(PNG_HEADER_BYTES))

/** An APNG by its control chunks; all frames are the same picture. */
export function animatedPng(png: Uint8Array, frames: number): Uint8Array {
  const control = pngChunk('acTL', concat(uint32(frames), uint32(0)))
  const frame = Array.from({ length: frames }, (_, index) =>
    pngChunk('fcTL', concat(uint32(index), new Uint8Array(22))),
  )
  return withPngChunks(png, control, ...frame)
}

/** A GIF of any declared sizes, whose frames have one pixel of data each. GIF89a §18, §20, §22. */
export function sparseGif(canvas: Sides, frames: number, frame: Sides = { width: 1, height: 1 }): Uint8Array {
  const palette = '\0\0\0\xff\xff\xff'
  const screen = concat('GIF89a', uint16le(canvas.width), uint16le(canvas.height), '\x80\0\0', palette)
  const place = concat('\0\0\0\0', uint16le(frame.width), uint16le(frame.height), '\0')
  const picture = concat('!\xf9\x04\0\0\0\0\0,', place, '\x02\x02\x44\x01\0')
  return concat(screen, ...Array<Uint8Array>(frames).fill(picture), ';')
}

/** A lossless WebP that declares a size and has almost no data. RFC 9649 §3.4. */
export function hollowWebp(width: number, height: number): Uint8Array {
  const bits = (width - 1) | ((height - 1) << 14)
  const size = Uint8Array.of(bits & 0xff, (bits >> 8) & 0xff, (bits >> 16) & 0xff, (bits >>> 24) & 0xff)
  return concat(
    'RIFF',
    Uint8Array.of(24, 0, 0, 0),
    'WEBPVP8L',
    Uint8Array.of(12, 0, 0, 0, 0x2f),
    size,
    new Uint8Array(7),
  )
}

/** Writes other dimensions into a JPEG's frame header. ITU-T T.81 §B.2.2. */
export function resizedJpeg(jpeg: Uint8Array, width: number, height: number): Uint8Array {
  const bytes = Buffer.from(jpeg)
  const frame = bytes.findIndex(
    (byte, index) => byte === 0xff && (bytes[index + 1] === 0xc0 || bytes[index + 1] === 0xc2),
  )
  bytes.writeUInt16BE(height, frame + 5)
  bytes.writeUInt16BE(width, frame + 7)
  return bytes
}

/** Puts a segment right after a JPEG's start. */
export function withJpegSegment(jpeg: Uint8Array, marker: number, data: string): Uint8Array {
  const length = data.length + 2
  return concat(
    jpeg.subarray(0, 2),
    Uint8Array.of(0xff, marker, length >> 8, length & 0xff),
    data,
    jpeg.subarray(2),
  )
}
