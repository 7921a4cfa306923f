// The duration of WAV: the length of its data divided by its data rate.
// https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html
import { type AudioBytes, type DurationReader, hasText } from './bytes.ts'
import { framesSeconds } from './frames.ts'

const CHUNK_HEADER_BYTES = 8
/** The part of `fmt ` that is read, in a plain and in an extensible header. */
const FORMAT_BYTES = 16
const EXTENSIBLE_BYTES = 26
/** Real files have a handful of chunks. */
const MAX_CHUNKS = 1_000
const PCM = 1
const FLOAT = 3
const EXTENSIBLE = 0xfffe
/** The bits per sample of other formats by tag: A-law, mu-law, Microsoft ADPCM, IMA ADPCM. */
const CODED_BITS: Readonly<Record<number, number>> = { 6: 8, 7: 8, 2: 4, 17: 4 }
/** MPEG audio and AAC, whose frames state their duration. */
const IN_FRAMES: ReadonlySet<number> = new Set([0x50, 0x55, 0xff, 0x1600])

interface Format {
  tag: number
  bytes_per_s: number
}

export const wavSeconds: DurationReader = function* (audio, view) {
  const { head, total_bytes } = audio
  if (!(hasText(head, 0, 'RIFF') || hasText(head, 0, 'RF64')) || !hasText(head, 8, 'WAVE')) return undefined
  let format: Format | undefined
  let first_data: number | undefined
  let data_bytes = 0
  let at = 12
  for (let chunks = 0; chunks < MAX_CHUNKS && at + CHUNK_HEADER_BYTES <= head.length; chunks++) {
    const length = view.getUint32(at + 4, true)
    const start = at + CHUNK_HEADER_BYTES
    // Players use the first format, and the data of all data chunks.
    if (hasText(head, at, 'fmt ') && start + FORMAT_BYTES <= head.length)
      format ??= formatOf(head, view, start)
    const is_data = hasText(head, at, 'data')
    if (is_data || (first_data !== undefined && !isNamed(head, at))) {
      first_data ??= start
      const present_bytes = Math.max(0, total_bytes - start)
      // A stream of unknown length states 0 or the maximum; a chunk without a printable name is data, too.
      const is_rest = !is_data || length === 0 || length > present_bytes
      data_bytes += is_rest ? present_bytes : length
      if (is_rest) break
    }
    at = start + length + (length % 2)
  }
  if (first_data === undefined || !format) return undefined
  if (IN_FRAMES.has(format.tag)) return yield* framesFrom(audio, first_data)
  return format.bytes_per_s > 0 ? data_bytes / format.bytes_per_s : undefined
}

const framesFrom = ({ head, tail, total_bytes }: AudioBytes, start: number): ReturnType<DurationReader> => {
  const rest = head.subarray(start)
  const view = new DataView(rest.buffer, rest.byteOffset, rest.length)
  return framesSeconds({ head: rest, tail, total_bytes: total_bytes - start }, view)
}

/** Whether a chunk may begin here: its name is printable. */
const isNamed = (bytes: Uint8Array, at: number): boolean =>
  bytes.subarray(at, at + 4).every((byte) => byte >= 0x20 && byte < 0x7f)

/**
 * Computes the data rate from the sample size for known formats, since the header's rate may be forged. Unknown formats
 * have no rate.
 */
function formatOf(bytes: Uint8Array, view: DataView, start: number): Format {
  const first = view.getUint16(start, true)
  const is_long = first === EXTENSIBLE && start + EXTENSIBLE_BYTES <= bytes.length
  const tag = is_long ? view.getUint16(start + 24, true) : first
  const channels = view.getUint16(start + 2, true)
  const rate = view.getUint32(start + 4, true)
  const stated_bytes_per_s = view.getUint32(start + 8, true)
  const bits = view.getUint16(start + 14, true)
  const is_plain = (tag === PCM || tag === FLOAT || tag === EXTENSIBLE) && bits > 0
  const coded_bits = tag === PCM ? 8 : (CODED_BITS[tag] ?? 0)
  const bytes_per_s = is_plain
    ? channels * rate * Math.ceil(bits / 8)
    : Math.min(stated_bytes_per_s, (channels * rate * coded_bits) / 8)
  return { tag, bytes_per_s }
}
