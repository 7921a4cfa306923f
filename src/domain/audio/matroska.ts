// The duration of WebM (Matroska): the longest of its header's, its last block's time, and the sum of its frames.
// RFC 8794 (EBML); RFC 9559 (Matroska)
import { type DurationReader, longer, SLOW_BYTES_PER_S, STEP_PARTS } from './bytes.ts'
import { elementAt, floatAt, numberAt, unsignedAt, widthOf } from './ebml.ts'
import { framesOf } from './matroska-block.ts'
import { frameSecondsOf, hasFrameDuration, type MatroskaTrack, newTrack } from './matroska-track.ts'

const EBML = 0x1a45dfa3
const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TIMESTAMP_SCALE = 0x2ad7b1
const DURATION = 0x4489
const TRACKS = 0x1654ae6b
const TRACK = 0xae
const AUDIO = 0xe1
const CLUSTER = 0x1f43b675
const CLUSTER_ID = Uint8Array.of(0x1f, 0x43, 0xb6, 0x75)
const TIMESTAMP = 0xe7
const BLOCK_GROUP = 0xa0
const BLOCK_DURATION = 0x9b
const BLOCKS: ReadonlySet<number> = new Set([0xa1, 0xa3])

/** Elements whose content is read even if their length is unknown, as for clusters of a live recording. */
const CONTAINERS: ReadonlySet<number> = new Set([SEGMENT, INFO, TRACKS, TRACK, AUDIO, CLUSTER, BLOCK_GROUP])
const DEFAULT_SCALE_NANOS = 1_000_000
/** Enough for a block per packet of the lowest-rate speech in the largest file. */
const MAX_ELEMENTS = 1_000_000
/** Far more than a recording has. Each block searches its track among them. */
const MAX_TRACKS = 100

interface Place {
  bytes: Uint8Array
  view: DataView
  at: number
  length: number
}

/** The parsed fields of a track. */
const TRACK_FIELDS: Readonly<Record<number, (track: MatroskaTrack, place: Place) => void>> = {
  215: (track, { bytes, at, length }) => {
    track.number = unsignedAt(bytes, at, length)
  },
  134: (track, { bytes, at, length }) => {
    track.codec = Buffer.from(bytes.subarray(at, at + Math.min(length, 32)))
      .toString('latin1')
      .replace(/\0.*$/s, '')
  },
  181: (track, { view, at, length }) => {
    track.rate = floatAt(view, at, length) ?? 0
  },
  159: (track, { bytes, at, length }) => {
    track.channels = unsignedAt(bytes, at, length) || 1
  },
  25188: (track, { bytes, at, length }) => {
    track.bits = unsignedAt(bytes, at, length)
  },
  25506: (track, { bytes, at, length }) => {
    track.configuration = [at, Math.min(at + length, bytes.length)]
  },
  28032: (track) => {
    track.is_wrapped = true
  },
  // TrackTimestampScale: deprecated, but still read by players.
  2306383: (track, { view, at, length }) => {
    track.time_scale = floatAt(view, at, length) ?? 1
  },
}

export const matroskaSeconds: DurationReader = function* ({ head, total_bytes, is_strict }, view) {
  if (head.length < 8 || view.getUint32(0) !== EBML) return undefined
  let scale_nanos: number | undefined
  let block_end = 0
  let duration: number | undefined
  let cluster = 0
  let last_block: number | undefined
  const tracks: MatroskaTrack[] = []
  const meters = new Map<number, FrameMeter>()
  // A block may hold several frames, but each has at least one byte.
  const max_frames = Math.min(MAX_ELEMENTS, head.length)
  let frames = 0
  let rest_bytes = 0
  let at = 0
  let paused_at = 0
  for (let elements = 0; at < head.length; elements++) {
    if (elements + frames - paused_at >= STEP_PARTS) {
      paused_at = elements + frames
      yield
    }
    if (elements > MAX_ELEMENTS || frames > max_frames || tracks.length > MAX_TRACKS) {
      rest_bytes = head.length - at
      break
    }
    const element = elementAt(head, at)
    if (!element || (runsOver(element, total_bytes) && !CONTAINERS.has(element.id))) {
      // Players continue at the next cluster.
      at = Buffer.from(head.buffer, head.byteOffset, head.length).indexOf(CLUSTER_ID, at + 1)
      if (at < 0) break
      continue
    }
    const { id, data_at, length } = element
    // Of two scales players may use either one.
    if (id === TIMESTAMP_SCALE)
      scale_nanos = Math.max(scale_nanos ?? 0, unsignedAt(head, data_at, length) || DEFAULT_SCALE_NANOS)
    if (id === DURATION) duration = longer(duration, floatAt(view, data_at, length))
    // The duration of the block before it in its group.
    if (id === BLOCK_DURATION) last_block = longer(last_block, block_end + unsignedAt(head, data_at, length))
    if (id === TIMESTAMP) cluster = unsignedAt(head, data_at, length)
    if (id === TRACK) tracks.push(newTrack())
    const track = tracks.at(-1)
    if (track) TRACK_FIELDS[id]?.(track, { bytes: head, view, at: data_at, length })
    if (BLOCKS.has(id)) {
      const number_bytes = widthOf(head[data_at])
      const time_at = data_at + number_bytes
      if (time_at + 2 <= head.length) {
        block_end = cluster + view.getInt16(time_at)
        last_block = longer(last_block, block_end)
      }
      const meter = meterOf(meters, tracks, numberAt(head, data_at, number_bytes), head)
      frames += meter?.add(time_at + 2, data_at + length) ?? 0
    }
    at = CONTAINERS.has(id) ? data_at : data_at + length
  }
  // The duration of the frames is unknown, and so is that of the file.
  if (tracks.some(({ is_wrapped, codec }) => is_wrapped || (is_strict && !hasFrameDuration(codec))))
    return undefined
  const framed_seconds =
    Math.max(0, ...[...meters.values()].map(({ seconds }) => seconds)) + rest_bytes / SLOW_BYTES_PER_S
  const slowest = Math.max(1, ...tracks.map(({ time_scale }) => time_scale))
  const ticks = longer(duration, last_block === undefined ? undefined : last_block * slowest)
  if (ticks === undefined) return framed_seconds > 0 ? framed_seconds : undefined
  return Math.max((ticks * (scale_nanos ?? DEFAULT_SCALE_NANOS)) / 1e9, framed_seconds)
}

const runsOver = ({ data_at, length }: { data_at: number; length: number }, total_bytes: number): boolean =>
  data_at + length > total_bytes

interface FrameMeter {
  /** The duration of all frames of one track. */
  seconds: number
  /** @param at the position of a block's flags @returns the number of frames in the block */
  add(at: number, end: number): number
}

function meterOf(
  meters: Map<number, FrameMeter>,
  tracks: readonly MatroskaTrack[],
  number: number,
  bytes: Uint8Array,
): FrameMeter | undefined {
  const known = meters.get(number)
  if (known) return known
  const track = tracks.find((one) => one.number === number)
  if (!track) return undefined
  const secondsOf = frameSecondsOf(track, bytes)
  const meter: FrameMeter = {
    seconds: 0,
    add(at, end) {
      const frames = framesOf(bytes, at, end)
      for (const [start, stop] of frames) meter.seconds += secondsOf(bytes, start, stop)
      return frames.length
    },
  }
  meters.set(number, meter)
  return meter
}
