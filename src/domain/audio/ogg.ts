// The duration of Ogg: the positions of its pages at the codec's sample rate, but at least the duration of its packets.
// RFC 3533, section 6; RFC 7845 (Opus), section 4; https://xiph.org/vorbis/doc/Vorbis_I_spec.html, section 4.2.2
import { type DurationReader, hasText, type InSteps, MAX_VORBIS_BYTES_PER_S, STEP_PARTS } from './bytes.ts'
import { opusSeconds } from './opus.ts'

const PAGE_HEADER_BYTES = 27
/** The rate of Opus positions, regardless of the input's rate. */
const OPUS_RATE = 48_000
/** The beginnings of header packets, which precede the audio. */
const OPUS_HEADERS = ['OpusHead', 'OpusTags']
/** Speex at its highest rate. */
const MAX_SPEEX_BYTES_PER_S = 5_600
const FLAC_STREAM_INFO_END = 51
/** Flags of a page: it continues the previous page's packet; it is the first of its stream. */
const CONTINUED = 1
const BEGINS_STREAM = 2

interface Track {
  rate: number
  last_position: number
  /** The maximum data rate of its packets; undefined for Opus, whose packets state their duration. */
  max_bytes_per_s: number | undefined
  /** The minimum duration of its packets. */
  packet_seconds: number
}

export const oggSeconds: DurationReader = function* ({ head, tail, total_bytes }, view) {
  if (!hasText(head, 0, 'OggS')) return undefined
  const tracks: Tracks = { of_serial: new Map(), all: [] }
  yield* walkPages(head, view, 0, tracks)
  if (head.length < total_bytes) {
    const tail_view = new DataView(tail.buffer, tail.byteOffset, tail.length)
    const start = Buffer.from(tail.buffer, tail.byteOffset, tail.length).indexOf('OggS')
    if (start >= 0) yield* walkPages(tail, tail_view, start, tracks)
  }
  let seconds = 0
  // Chained streams play one after the other.
  for (const { rate, last_position, packet_seconds } of tracks.all)
    seconds += Math.max(last_position / rate, packet_seconds)
  return seconds
}

/** Chained streams may have the same serial number. */
interface Tracks {
  of_serial: Map<number, Track>
  all: Track[]
}

function* walkPages(bytes: Uint8Array, view: DataView, start: number, tracks: Tracks): InSteps<void> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  let parts = 0
  // Bytes between pages are skipped, as players do.
  for (let at = start; ; ) {
    at = buffer.indexOf('OggS', at)
    if (at < 0 || at + PAGE_HEADER_BYTES > bytes.length) return
    const table = at + PAGE_HEADER_BYTES
    const body = table + (bytes[at + 26] ?? 0)
    const serial = view.getUint32(at + 14, true)
    const track = trackOf(tracks, serial, bytes[at + 5] ?? 0, () => firstPage(bytes, view, body))
    let end = body
    let begins = ((bytes[at + 5] ?? 0) & CONTINUED) === 0
    for (let index = table; index < body; index++) {
      const length = bytes[index] ?? 0
      if (track) track.packet_seconds += segmentSeconds(track, bytes, { at: end, length, begins })
      begins = length < 255
      end += length
      parts++
    }
    if (track) {
      // Position -1 means that no packet ends on this page.
      const position = view.getBigInt64(at + 6, true)
      if (position > 0n) track.last_position = Math.max(track.last_position, Number(position))
    }
    at = end > bytes.length ? table : end
    if (++parts >= STEP_PARTS) {
      parts = 0
      yield
    }
  }
}

function segmentSeconds(
  { max_bytes_per_s }: Track,
  bytes: Uint8Array,
  { at, length, begins }: { at: number; length: number; begins: boolean },
): number {
  if (max_bytes_per_s !== undefined) return length / max_bytes_per_s
  if (!begins || length === 0 || OPUS_HEADERS.some((text) => hasText(bytes, at, text))) return 0
  return opusSeconds(bytes, at, at + length)
}

function trackOf(
  { of_serial, all }: Tracks,
  serial: number,
  flags: number,
  begin: () => Track | undefined,
): Track | undefined {
  const known = of_serial.get(serial)
  if (known && (flags & BEGINS_STREAM) === 0) return known
  const track = begin()
  if (!track) return known
  of_serial.set(serial, track)
  all.push(track)
  return track
}

/** Reads the codec's header, the first page of a track. */
function firstPage(bytes: Uint8Array, view: DataView, body: number): Track | undefined {
  const track = { last_position: 0, packet_seconds: 0 }
  if (hasText(bytes, body, 'OpusHead')) return { ...track, rate: OPUS_RATE, max_bytes_per_s: undefined }
  const [rate, max_bytes_per_s] = codecOf(bytes, view, body)
  return rate > 0 ? { ...track, rate, max_bytes_per_s } : undefined
}

/** Returns the sample rate and maximum bytes per second of codecs other than Opus; 0 for unknown ones. */
function codecOf(bytes: Uint8Array, view: DataView, body: number): readonly [number, number] {
  if (hasText(bytes, body, '\x01vorbis') && body + 16 <= bytes.length)
    return [view.getUint32(body + 12, true), MAX_VORBIS_BYTES_PER_S]
  if (hasText(bytes, body, 'Speex   ') && body + 40 <= bytes.length)
    return [view.getUint32(body + 36, true), MAX_SPEEX_BYTES_PER_S]
  if (!hasText(bytes, body, '\x7fFLAC') || body + FLAC_STREAM_INFO_END > bytes.length) return [0, 0]
  // FLAC's own header block, after nine bytes of the Ogg mapping. https://xiph.org/flac/ogg_mapping.html
  const packed = view.getUint32(body + 27)
  const rate = packed >>> 12
  return [rate, (rate * (((packed >>> 9) & 7) + 1) * (((packed >>> 4) & 31) + 1)) / 8]
}
