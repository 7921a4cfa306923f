// Media files that cost as much as their format allows: many pages, seconds and pixels in few bytes.
import { deflateSync } from 'node:zlib'

export interface PdfOptions {
  readonly pages: number
  /** The number of letters on each page. No two letters share a token. */
  readonly letters?: number
  /** Whether its objects are in a compressed stream. */
  readonly packed?: boolean
  /** Whether pages have no type and their tree follows text that looks like a comment. */
  readonly hidden?: boolean
  /** Whether all pages use the same stream. */
  readonly shared?: boolean
  /** The page count in the tree, if it differs from `pages`. */
  readonly count?: number
  /** How often each page draws a form. */
  readonly drawn?: number
  /** The text that each letter maps to. */
  readonly letter_text?: string
}

const LETTERS = 'qxzjvkwb'
const lettersOf = (count: number): string =>
  Array.from({ length: count }, (_, at) => LETTERS[(at * at + (at >> 3)) % LETTERS.length]).join('')

const streamOf = (text: string, more = ''): string => {
  const data = deflateSync(text).toString('latin1')
  return `<</Filter/FlateDecode/Length ${data.length}${more}>>\nstream\n${data}\nendstream`
}

/** Returns a PDF without a cross-reference table; readers repair it. */
export function craftedPdf({
  pages,
  letters = 0,
  packed = false,
  hidden = false,
  shared = false,
  count = pages,
  drawn = 0,
  letter_text,
}: PdfOptions): Buffer {
  const texts = shared ? 1 : pages
  const first_page = 10
  const first_text = first_page + pages
  const kids = Array.from({ length: pages }, (_, at) => `${first_page + at} 0 R`).join(' ')
  const plain: [number, string][] = [
    [1, '<</Type/Catalog/Pages 2 0 R>>'],
    [2, `<</Type/Pages/Count ${count}${hidden ? '/A(a(b)%)' : ''}/Kids[${kids}]>>`],
    [3, '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 4 0 R>>'],
    ...Array.from({ length: pages }, (_, at): [number, string] => [
      first_page + at,
      `<<${hidden ? '' : '/Type/Page'}/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>/XObject<</X 5 0 R>>>>/Contents ${first_text + (shared ? 0 : at)} 0 R>>`,
    ]),
  ]
  const shown = drawn > 0 ? '/X Do '.repeat(drawn) : `BT /F 9 Tf (${lettersOf(letters)}) Tj ET`
  const streams: [number, string][] = [
    ...Array.from({ length: texts }, (_, at): [number, string] => [first_text + at, streamOf(shown)]),
    [5, streamOf(`BT /F 9 Tf (${lettersOf(letters)}) Tj ET`, '/Type/XObject/Subtype/Form/BBox[0 0 9 9]')],
  ]
  if (letter_text !== undefined) {
    const target = Buffer.from(letter_text, 'utf16le').swap16().toString('hex')
    const lines = [...LETTERS].map((letter) => `<${letter.charCodeAt(0).toString(16)}> <${target}>`)
    streams.push([
      4,
      streamOf(`begincmap ${lines.length} beginbfchar\n${lines.join('\n')}\nendbfchar endcmap`),
    ])
  }
  return Buffer.from(
    `%PDF-1.7\n${[...streams, ...(packed ? [packedObjects(plain)] : plain)]
      .map(([number, body]) => `${number} 0 obj\n${body}\nendobj\n`)
      .join('')}trailer <</Root 1 0 R>>\n%%EOF`,
    'latin1',
  )
}

/** ISO 32000-1, section 7.5.7 */
function packedObjects(objects: readonly [number, string][]): [number, string] {
  let offset = 0
  const heads = objects.map(([number, body]) => {
    const head = `${number} ${offset}`
    offset += body.length + 1
    return head
  })
  const head = `${heads.join(' ')} `
  const text = head + objects.map(([, body]) => body).join('\n')
  return [9, streamOf(text, `/Type/ObjStm/N ${objects.length}/First ${head.length}`)]
}

/** MPEG 2.5, layer III: 8 kbit/s at 8 kHz, 72 bytes for 72 ms. */
export const craftedMp3 = (seconds: number): Buffer => {
  const frame = Buffer.alloc(72)
  frame.set([0xff, 0xe3, 0x18, 0xc4])
  return Buffer.concat(Array<Buffer>(Math.ceil(seconds / 0.072)).fill(frame))
}

/** 8 kHz with 8 bits. */
export function craftedWav(seconds: number): Buffer {
  const bytes = Buffer.alloc(44 + seconds * 8_000)
  bytes.write('RIFF', 0)
  bytes.writeUInt32LE(bytes.length - 8, 4)
  bytes.write('WAVEfmt ', 8)
  bytes.writeUInt32LE(16, 16)
  bytes.writeUInt16LE(1, 20)
  bytes.writeUInt16LE(1, 22)
  bytes.writeUInt32LE(8_000, 24)
  bytes.writeUInt32LE(8_000, 28)
  bytes.writeUInt16LE(1, 32)
  bytes.writeUInt16LE(8, 34)
  bytes.write('data', 36)
  bytes.writeUInt32LE(seconds * 8_000, 40)
  return bytes
}

/** Ogg: a page each second, of 50 packets of one byte, each 20 ms of silence. RFC 7845 */
export function craftedOpus(seconds: number): Buffer {
  const page = (flags: number, position: number, sequence: number, packets: readonly Buffer[]): Buffer => {
    const head = Buffer.alloc(27)
    head.write('OggS', 0)
    head[5] = flags
    head.writeBigInt64LE(BigInt(position), 6)
    head.writeUInt32LE(7, 14)
    head.writeUInt32LE(sequence, 18)
    head[26] = packets.length
    return Buffer.concat([head, Buffer.from(packets.map(({ length }) => length)), ...packets])
  }
  const header = Buffer.concat([
    Buffer.from('OpusHead'),
    Buffer.from([1, 1, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0]),
  ])
  const silence = Array<Buffer>(50).fill(Buffer.from([0x08]))
  return Buffer.concat([
    page(2, 0, 0, [header]),
    page(0, 0, 1, [Buffer.from('OpusTags\0\0\0\0\0\0\0\0')]),
    // The positions claim a shorter duration than the packets have.
    ...Array.from({ length: seconds }, (_, at) => page(0, 1, at + 2, silence)),
  ])
}

/** MP4 whose headers claim one second, but whose only sample is longer. */
export function craftedMp4(seconds: number): Buffer {
  const uint32 = (...values: number[]): Buffer =>
    Buffer.concat(
      values.map((value) => {
        const bytes = Buffer.alloc(4)
        bytes.writeUInt32BE(value)
        return bytes
      }),
    )
  const box = (type: string, ...parts: Buffer[]): Buffer => {
    const body = Buffer.concat(parts)
    return Buffer.concat([uint32(body.length + 8), Buffer.from(type), body])
  }
  const second = uint32(0, 0, 0, 1_000, 1_000, 0)
  const table = box('stbl', box('stts', uint32(0, 1, 1, seconds * 1_000)))
  const track = box('trak', box('mdia', box('mdhd', second), box('minf', table)))
  return Buffer.concat([
    box('ftyp', Buffer.from('isom'), uint32(0)),
    box('moov', box('mvhd', second, Buffer.alloc(80)), track),
    box('mdat', Buffer.alloc(64)),
  ])
}
