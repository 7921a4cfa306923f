// A PNG encoder.
import { deflateSync } from 'node:zlib'
import type { Canvas } from './canvas.ts'

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** 8 bits per channel; red, green and blue; not interlaced. */
const TRUECOLOUR = [8, 2, 0, 0, 0]

/** The chunks that a PNG file must have (RFC 2083, 4.1). */
export function encodePng({ width, height, pixels }: Canvas): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set(TRUECOLOUR, 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(withFilterBytes({ width, height, pixels }), { level: 4 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** Each row follows a filter byte: 0, no filter. */
function withFilterBytes({ width, height, pixels }: Canvas): Buffer {
  const row_bytes = width * 3
  const rows = Buffer.alloc(height * (1 + row_bytes))
  for (let y = 0; y < height; y++)
    rows.set(pixels.subarray(y * row_bytes, (y + 1) * row_bytes), y * (1 + row_bytes) + 1)
  return rows
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(named.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(named, 4)
  framed.writeUInt32BE(Bun.hash.crc32(named), named.length + 4)
  return framed
}
