// The duration of MP4 (M4A): the longest that the header of the movie or of one of its tracks says, or its fragments add up to.
// ISO/IEC 14496-12, sections 8.2.2 (mvhd), 8.4.2 (mdhd) and 8.8 (movie fragments)
import { type DurationReader, hasText, longer } from './bytes.ts'

const BOX_HEADER_BYTES = 8
/** Boxes that hold others on the way to what is read. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'moov',
  'trak',
  'mdia',
  'minf',
  'stbl',
  'mvex',
  'moof',
  'traf',
])
const MAX_BOXES = 10_000

export const mp4Seconds: DurationReader = ({ head, tail, total_bytes }, view) => {
  if (!hasText(head, 4, 'ftyp')) return undefined
  const told = walkBoxes(head, view)
  if (told !== undefined || head.length === total_bytes) return told
  // What was written in one go has its header at the end.
  const place = Buffer.from(tail.buffer, tail.byteOffset, tail.length).indexOf('moov')
  if (place < 4) return undefined
  const end = tail.subarray(place - 4)
  return walkBoxes(end, new DataView(end.buffer, end.byteOffset, end.length))
}

function walkBoxes(bytes: Uint8Array, view: DataView): number | undefined {
  let seconds: number | undefined
  const fragments = { scale: 0, default_ticks: 0, sample_ticks: 0, ticks: 0 }
  let aac_rate: number | undefined
  let at = 0
  for (let boxes = 0; boxes < MAX_BOXES && at + BOX_HEADER_BYTES <= bytes.length; boxes++) {
    const type = Buffer.from(bytes.buffer, bytes.byteOffset + at + 4, 4).toString('latin1')
    const { header_bytes, length } = sizeOf(bytes, view, at)
    if (type === 'mvhd' || type === 'mdhd')
      seconds = longer(seconds, headerSeconds(bytes, view, at + header_bytes))
    if (type === 'stsd') aac_rate = aacRate(bytes, view, at + header_bytes)
    if (type === 'stsz' && aac_rate && at + header_bytes + SAMPLE_COUNT_END <= bytes.length)
      seconds = longer(seconds, (view.getUint32(at + header_bytes + 8) * AAC_SAMPLES) / aac_rate)
    const reader = Object.hasOwn(FRAGMENTS, type) ? FRAGMENTS[type] : undefined
    if (reader && at + header_bytes + MAX_READ_BYTES <= bytes.length)
      reader(view, at + header_bytes, fragments, Math.min(at + length, bytes.length))
    if (length < header_bytes) break
    at += CONTAINERS.has(type) ? header_bytes : length
  }
  const { ticks, scale } = fragments
  return scale > 0 && ticks > 0 ? longer(seconds, ticks / scale) : seconds
}

/** A frame of AAC; it is a sample to the container, whatever duration that gives it. ISO/IEC 14496-3 */
const AAC_SAMPLES = 1_024
const SAMPLE_COUNT_END = 12
const MAX_AAC_RATE = 96_000

/** The sample rate of a track's first entry (8.5.2, 12.2.3), where it is AAC. */
function aacRate(bytes: Uint8Array, view: DataView, at: number): number | undefined {
  const entry = at + 8
  if (entry + 36 > bytes.length || !hasText(bytes, entry + 4, 'mp4a')) return undefined
  const rate = view.getUint16(entry + 32)
  return rate > 0 ? rate : MAX_AAC_RATE
}

/** The samples of a movie in fragments, of which each may have the default duration. */
interface Fragments {
  /** Ticks in a second. */
  scale: number
  default_ticks: number
  /** Of the fragment that is read. */
  sample_ticks: number
  ticks: number
}

/** So much of a box is read at most, apart from the durations of its samples. */
const MAX_READ_BYTES = 28
const HAS_BASE_OFFSET = 1
const HAS_DESCRIPTION = 2
const HAS_DURATION = 8
const RUN_HAS_OFFSET = 1
const RUN_HAS_FLAGS = 4
const RUN_HAS_DURATIONS = 0x100

const FRAGMENTS: Readonly<
  Record<string, (view: DataView, at: number, fragments: Fragments, end: number) => void>
> = {
  mdhd(view, at, fragments) {
    fragments.scale = view.getUint32(at + (view.getUint8(at) === 1 ? 20 : 12))
  },
  trex(view, at, fragments) {
    fragments.default_ticks = view.getUint32(at + 12)
  },
  tfhd(view, at, fragments) {
    const flags = view.getUint32(at)
    const offset = 8 + (flags & HAS_BASE_OFFSET ? 8 : 0) + (flags & HAS_DESCRIPTION ? 4 : 0)
    fragments.sample_ticks = flags & HAS_DURATION ? view.getUint32(at + offset) : fragments.default_ticks
  },
  trun(view, at, fragments, end) {
    const flags = view.getUint32(at)
    const samples = view.getUint32(at + 4)
    if (!(flags & RUN_HAS_DURATIONS)) {
      fragments.ticks += samples * fragments.sample_ticks
      return
    }
    // Each sample's entry has four bytes for its duration, size, flags and offset, as far as the flags name them.
    const entry_bytes = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length
    let entry = at + 8 + (flags & RUN_HAS_OFFSET ? 4 : 0) + (flags & RUN_HAS_FLAGS ? 4 : 0)
    for (let sample = 0; sample < samples && entry + 4 <= end; sample++, entry += entry_bytes)
      fragments.ticks += view.getUint32(entry)
  },
}

/** 0 reaches to the end; 1 says that the length follows, in 64 bits. */
function sizeOf(bytes: Uint8Array, view: DataView, at: number): { header_bytes: number; length: number } {
  const length = view.getUint32(at)
  if (length === 0) return { header_bytes: BOX_HEADER_BYTES, length: bytes.length - at }
  if (length !== 1) return { header_bytes: BOX_HEADER_BYTES, length }
  if (at + 16 > bytes.length) return { header_bytes: 16, length: 0 }
  return { header_bytes: 16, length: Number(view.getBigUint64(at + 8)) }
}

const UNKNOWN_32 = 0xffff_ffff

function headerSeconds(bytes: Uint8Array, view: DataView, at: number): number | undefined {
  const is_long = bytes[at] === 1
  const scale_at = at + (is_long ? 20 : 12)
  if (scale_at + (is_long ? 12 : 8) > bytes.length) return undefined
  const scale = view.getUint32(scale_at)
  const duration = is_long ? Number(view.getBigUint64(scale_at + 4)) : view.getUint32(scale_at + 4)
  const is_told = scale > 0 && duration > 0 && (is_long || duration !== UNKNOWN_32)
  return is_told ? duration / scale : undefined
}
