// Owns the pictures that the simulator draws: PNG files of two blended colours, in the shape that was asked for.
import { deflateSync } from 'node:zlib'
import type { Random } from './random.ts'

const LONGER_SIDE = 1_024
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/**
 * Draws a picture.
 * @param aspect_ratio such as `16:9`; square where it is none
 * @returns a PNG file in base64
 */
export function drawPicture(aspect_ratio: string, random: Random): string {
  const [width, height] = sizeOf(aspect_ratio)
  return encodePng(width, height, blend(width, height, random)).toString('base64')
}

function sizeOf(aspect_ratio: string): [number, number] {
  const match = /^([1-9]\d?):([1-9]\d?)$/.exec(aspect_ratio)
  if (!match) return [LONGER_SIDE, LONGER_SIDE]
  const [across, down] = [Number(match[1]), Number(match[2])]
  const unit = LONGER_SIDE / Math.max(across, down)
  return [Math.round(across * unit), Math.round(down * unit)]
}

/** Rows of RGB, each after its filter byte, fading from one colour at the top to another at the bottom. */
function blend(width: number, height: number, random: Random): Buffer {
  const colour = () => [random.between(0, 255), random.between(0, 255), random.between(0, 255)]
  const [top, bottom] = [colour(), colour()]
  const rows = Buffer.alloc(height * (1 + width * 3))
  for (let y = 0; y < height; y++) {
    const share = y / Math.max(1, height - 1)
    const pixel = Buffer.from(top.map((from, at) => Math.round(from + ((bottom[at] ?? 0) - from) * share)))
    const start = y * (1 + width * 3) + 1
    rows.fill(pixel, start, start + width * 3)
  }
  return rows
}

/** The chunks that a PNG file must have (RFC 2083, 4.1). */
function encodePng(width: number, height: number, rows: Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(named, 4)
  framed.writeUInt32BE(Bun.hash.crc32(named), named.length + 4)
  return framed
}
