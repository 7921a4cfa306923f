// The duration of WAV: the length of its data by the bytes that a second takes.
// https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html
import { type DurationReader, hasText } from './bytes.ts'

const CHUNK_HEADER_BYTES = 8
/** Up to here, `fmt ` holds what is read of it. */
const FORMAT_BYTES = 16
/** Chunks before the data; real files have a handful. */
const MAX_CHUNKS = 1_000
const PCM = 1
const FLOAT = 3
const EXTENSIBLE = 0xfffe

export const wavSeconds: DurationReader = ({ head, total_bytes }, view) => {
  if (!(hasText(head, 0, 'RIFF') || hasText(head, 0, 'RF64')) || !hasText(head, 8, 'WAVE')) return undefined
  let bytes_per_s: number | undefined
  let at = 12
  for (let chunks = 0; chunks < MAX_CHUNKS && at + CHUNK_HEADER_BYTES <= head.length; chunks++) {
    const length = view.getUint32(at + 4, true)
    const start = at + CHUNK_HEADER_BYTES
    if (hasText(head, at, 'fmt ') && start + FORMAT_BYTES <= head.length) bytes_per_s = rateOf(view, start)
    if (hasText(head, at, 'data')) {
      // What is streamed does not know its length, and says 0 or the most that it can.
      const present_bytes = Math.max(0, total_bytes - start)
      const data_bytes = length === 0 || length > present_bytes ? present_bytes : length
      return bytes_per_s ? data_bytes / bytes_per_s : undefined
    }
    at = start + length + (length % 2)
  }
  return undefined
}

/** Of samples as they are, the rate follows from their size: the field beside it need not be true. */
function rateOf(view: DataView, start: number): number {
  const format = view.getUint16(start, true)
  const channels = view.getUint16(start + 2, true)
  const rate = view.getUint32(start + 4, true)
  const said = view.getUint32(start + 8, true)
  const bits = view.getUint16(start + 14, true)
  const is_plain = format === PCM || format === FLOAT || format === EXTENSIBLE
  return is_plain && bits > 0 ? channels * rate * Math.ceil(bits / 8) : said
}
