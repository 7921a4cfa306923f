// The duration of MP4 (M4A): the longest that the header of the movie or of one of its tracks says, or its fragments add up to.
// ISO/IEC 14496-12, sections 8.2.2 (mvhd), 8.4.2 (mdhd) and 8.8 (movie fragments)
import { type DurationReader, hasText, type InSteps, longer, STEP_PARTS } from './bytes.ts'
import { framesSeconds } from './frames.ts'
import { eachBox } from './mp4-boxes.ts'
import { type SampleEntry, sampleEntryAt } from './mp4-codec.ts'

export const mp4Seconds: DurationReader = function* (audio, view) {
  const { head, tail, total_bytes } = audio
  if (!hasText(head, 4, 'ftyp')) return undefined
  const told = yield* readBoxes(head, view)
  if (told !== undefined || head.length === total_bytes) return told
  // What was written in one go has its header at the end.
  const place = Buffer.from(tail.buffer, tail.byteOffset, tail.length).indexOf('moov')
  if (place < 4) return undefined
  const end = tail.subarray(place - 4)
  return yield* readBoxes(end, new DataView(end.buffer, end.byteOffset, end.length))
}

/** A track: its codec and its samples come in any order. */
interface Track {
  id: number
  entry: SampleEntry | undefined
  samples: number
  /** Ticks in a second, and those of all its samples. */
  scale: number
  ticks: number
}

function* readBoxes(bytes: Uint8Array, view: DataView): ReturnType<DurationReader> {
  let seconds: number | undefined
  let media_at: number | undefined
  const tracks: Track[] = []
  const fragments: Fragments = {
    scale: 0,
    default_ticks: 0,
    sample_ticks: 0,
    ticks: 0,
    track: 0,
    samples_of: new Map(),
  }
  const is_sane = yield* eachBox(bytes, view, ({ type, data_at, end }) => {
    if (type === 'mvhd' || type === 'mdhd') seconds = longer(seconds, headerSeconds(bytes, view, data_at))
    if (type === 'trak') tracks.push({ id: 0, entry: undefined, samples: 0, scale: 0, ticks: 0 })
    if (type === 'mdat') media_at ??= data_at
    const track = tracks.at(-1)
    if (track && type === 'tkhd' && data_at + 24 <= bytes.length)
      track.id = view.getUint32(data_at + (bytes[data_at] === 1 ? 20 : 12))
    if (track && type === 'mdhd' && data_at + 24 <= bytes.length)
      track.scale = view.getUint32(data_at + (bytes[data_at] === 1 ? 20 : 12))
    if (track && type === 'stts') track.ticks += sampleTicks(view, data_at, end)
    if (track && type === 'stsd') track.entry = sampleEntryAt(bytes, view, data_at, end)
    if (track && (type === 'stsz' || type === 'stz2') && data_at + SAMPLE_COUNT_END <= bytes.length)
      track.samples = Math.max(track.samples, view.getUint32(data_at + 8))
    const reader = Object.hasOwn(FRAGMENTS, type) ? FRAGMENTS[type] : undefined
    const is_read = reader && data_at + MAX_READ_BYTES <= bytes.length
    return is_read ? reader(view, data_at, fragments, end) : undefined
  })
  if (!is_sane) return undefined
  const { ticks, scale } = fragments
  if (scale > 0 && ticks > 0) seconds = longer(seconds, ticks / scale)
  for (const { id, entry, samples, scale: track_scale, ticks: track_ticks } of tracks) {
    if (track_scale > 0 && track_ticks > 0) seconds = longer(seconds, track_ticks / track_scale)
    if (entry?.sample_seconds !== undefined) {
      const framed_seconds = (samples + (fragments.samples_of.get(id) ?? 0)) * entry.sample_seconds
      seconds = framed_seconds > 0 ? longer(seconds, framed_seconds) : seconds
    }
  }
  // Once for all tracks: they share the media, which may be long.
  if (media_at !== undefined && tracks.some(({ entry }) => entry?.is_mpeg))
    seconds = longer(seconds, yield* mpegSeconds(bytes, media_at))
  return seconds
}

function mpegSeconds(bytes: Uint8Array, media_at: number): ReturnType<DurationReader> {
  const rest = bytes.subarray(media_at)
  const view = new DataView(rest.buffer, rest.byteOffset, rest.length)
  return framesSeconds({ head: rest, tail: rest, total_bytes: rest.length }, view)
}

/** Section 8.6.1.2 (stts): each sample's own duration, whatever the headers say of them together. */
function sampleTicks(view: DataView, at: number, end: number): number {
  let ticks = 0
  for (let entry = at + 8; entry + 8 <= end; entry += 8)
    ticks += view.getUint32(entry) * view.getUint32(entry + 4)
  return ticks
}

const SAMPLE_COUNT_END = 12

/** The samples of a movie in fragments, of which each may have the default duration. */
interface Fragments {
  /** Ticks in a second. */
  scale: number
  default_ticks: number
  /** Of the fragment that is read. */
  sample_ticks: number
  ticks: number
  /** The track of the fragment that is read. */
  track: number
  samples_of: Map<number, number>
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
  Record<string, (view: DataView, at: number, fragments: Fragments, end: number) => InSteps<void> | undefined>
> = {
  mdhd(view, at, fragments) {
    fragments.scale = view.getUint32(at + (view.getUint8(at) === 1 ? 20 : 12))
    return undefined
  },
  trex(view, at, fragments) {
    fragments.default_ticks = view.getUint32(at + 12)
    return undefined
  },
  tfhd(view, at, fragments) {
    fragments.track = view.getUint32(at + 4)
    const flags = view.getUint32(at)
    const offset = 8 + (flags & HAS_BASE_OFFSET ? 8 : 0) + (flags & HAS_DESCRIPTION ? 4 : 0)
    fragments.sample_ticks = flags & HAS_DURATION ? view.getUint32(at + offset) : fragments.default_ticks
    return undefined
  },
  *trun(view, at, fragments, end) {
    const flags = view.getUint32(at)
    const samples = view.getUint32(at + 4)
    fragments.samples_of.set(fragments.track, (fragments.samples_of.get(fragments.track) ?? 0) + samples)
    if (!(flags & RUN_HAS_DURATIONS)) {
      fragments.ticks += samples * fragments.sample_ticks
      return
    }
    // Each sample's entry has four bytes for its duration, size, flags and offset, as far as the flags name them.
    const entry_bytes = 4 * [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length
    let entry = at + 8 + (flags & RUN_HAS_OFFSET ? 4 : 0) + (flags & RUN_HAS_FLAGS ? 4 : 0)
    for (let sample = 0; sample < samples && entry + 4 <= end; sample++, entry += entry_bytes) {
      fragments.ticks += view.getUint32(entry)
      if (sample % STEP_PARTS === STEP_PARTS - 1) yield
    }
  },
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
