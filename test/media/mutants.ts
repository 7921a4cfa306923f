// Damaged image headers: cut, spliced and overwritten forms of the four formats, in an order that follows from a seed.
import { GatewayError } from '../../src/domain/errors.ts'
import { formatOf, sniffImage } from '../../src/domain/image-formats.ts'
import { countPngFrames } from '../../src/media/apng.ts'
import { isImageDataUri, parseDataUri } from '../../src/media/data-uri.ts'
import { inspectImage } from '../../src/media/inspect.ts'
import { randomOf } from '../providers/random-numbers.ts'
import {
  animatedPng,
  hollowWebp,
  pngChunk,
  resizedJpeg,
  sparseGif,
  withJpegSegment,
  withPngChunks,
} from './crafted.ts'
import { animate, concat, paint } from './support.ts'

/** Lengths, sizes and offsets at which readers of headers go wrong. */
const EDGES = [
  0, 1, 2, 7, 8, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe,
  0xffffffff,
]
const MAX_CHANGES = 6

/** An image of each kind of header. */
export async function sourcesOfHeaders(): Promise<Uint8Array[]> {
  const [jpeg, png, gif, webp] = await Promise.all(
    (['jpeg', 'png', 'gif', 'webp'] as const).map((format) => paint(format, { alpha: format !== 'jpeg' })),
  )
  if (!jpeg || !png || !gif || !webp) throw new Error('a format was not painted')
  return [
    jpeg,
    resizedJpeg(jpeg, 65_500, 65_500),
    withJpegSegment(jpeg, 0xe1, 'Exif\0\0MM\0*\0\0\0\x08'),
    png,
    animatedPng(png, 3),
    withPngChunks(png, pngChunk('tEXt', 'Comment\0x')),
    gif,
    await animate('gif', 3),
    sparseGif({ width: 30_000, height: 30_000 }, 2),
    webp,
    await animate('webp', 3),
    hollowWebp(16_383, 16_383),
  ]
}

/** Endless damaged headers. Each is a new array, of at most a few kilobytes. */
export function* mutantsOf(sources: readonly Uint8Array[], seed: number): Generator<Uint8Array> {
  const chance = randomOf(seed)
  const below = (bound: number) => Math.floor(chance() * bound)
  const source = () => sources[below(sources.length)] ?? new Uint8Array()
  for (;;) {
    let bytes = Uint8Array.from(source())
    for (let changes = 1 + below(MAX_CHANGES); changes > 0; changes -= 1) bytes = mutate(bytes, source, below)
    yield bytes
  }
}

function mutate(
  bytes: Uint8Array<ArrayBuffer>,
  source: () => Uint8Array,
  below: (bound: number) => number,
): Uint8Array<ArrayBuffer> {
  const at = below(Math.min(bytes.length, 96))
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const edge = EDGES[below(EDGES.length)] ?? 0
  switch (below(8)) {
    case 0:
      return bytes.slice(0, below(bytes.length + 1))
    case 1:
      if (bytes.length > 0) bytes[at] = below(256)
      return bytes
    case 2:
      if (at + 4 <= bytes.length) view.setUint32(at, edge, below(2) === 0)
      return bytes
    case 3:
      if (at + 2 <= bytes.length) view.setUint16(at, edge & 0xffff, below(2) === 0)
      return bytes
    case 4:
      return Uint8Array.from(concat(bytes.subarray(0, at), source().subarray(below(32), 96)))
    case 5:
      return Uint8Array.from(concat(bytes.subarray(0, at), bytes.subarray(at + below(16))))
    case 6:
      return Uint8Array.from(concat(source().subarray(0, below(16)), bytes))
    default:
      return bytes.fill(edge & 0xff, at, at + below(16))
  }
}

/** The outcome of a header: `read`, or the code of the refusal. @throws any other error */
export function readHeaders(bytes: Uint8Array): string {
  const mime = sniffImage(bytes)
  const frames = countPngFrames(bytes)
  if (!Number.isSafeInteger(frames) || frames < 1) throw new Error(`${frames} frames`)
  const uri = `data:${mime ?? 'image/png'};base64,${bytes.toBase64()}`
  if (!isImageDataUri(uri)) throw new Error('not taken for a data URI')
  const refusal = refusalIn(() => {
    const image = parseDataUri(uri)
    if (image.mime !== mime || image.bytes.length !== bytes.length) throw new Error('read as something else')
  })
  if (mime !== undefined && formatOf(mime) === undefined) throw new Error(`${mime} has no format`)
  return refusal ?? 'read'
}

/** The same for the whole image, decoder included. */
export async function decodeWholly(bytes: Uint8Array): Promise<string> {
  try {
    const { width, height, frames } = await inspectImage(bytes)
    if (!(width > 0 && height > 0 && frames > 0)) throw new Error(`${width}x${height}, ${frames} frames`)
    return 'read'
  } catch (thrown) {
    return codeIn(thrown)
  }
}

function refusalIn(task: () => void): string | undefined {
  try {
    task()
    return undefined
  } catch (thrown) {
    return codeIn(thrown)
  }
}

function codeIn(thrown: unknown): string {
  if (thrown instanceof GatewayError && thrown.kind !== 'internal') return thrown.code ?? thrown.kind
  throw thrown
}
