// The duration of Ogg: the positions of its pages, by the sample rate of the codec inside, and at least what its packets last.
// RFC 3533, section 6; RFC 7845 (Opus), section 4; https://xiph.org/vorbis/doc/Vorbis_I_spec.html, section 4.2.2
import { type DurationReader, hasText } from './bytes.ts'
import { opusSeconds } from './opus.ts'

const PAGE_HEADER_BYTES = 27
/** Opus counts its positions at this rate, whatever the input had. */
const OPUS_RATE = 48_000
/** The packets of a codec's headers, which come before its audio, begin so. */
const OPUS_HEADERS = ['OpusHead', 'OpusTags']
/** Vorbis at its highest quality; its packets do not tell their duration. */
const MAX_VORBIS_BYTES_PER_S = 64_000
/** A page goes on with the packet of the one before. */
const CONTINUED = 1

interface Track {
  rate: number
  last_position: number
  is_opus: boolean
  /** The least that its packets last. */
  packet_seconds: number
}

export const oggSeconds: DurationReader = ({ head, tail, total_bytes }, view) => {
  if (!hasText(head, 0, 'OggS')) return undefined
  const tracks = new Map<number, Track>()
  walkPages(head, view, 0, tracks)
  if (head.length < total_bytes) {
    const tail_view = new DataView(tail.buffer, tail.byteOffset, tail.length)
    const start = Buffer.from(tail.buffer, tail.byteOffset, tail.length).indexOf('OggS')
    if (start >= 0) walkPages(tail, tail_view, start, tracks)
  }
  let seconds = 0
  // Streams that are chained follow each other.
  for (const { rate, last_position, packet_seconds } of tracks.values())
    seconds += Math.max(last_position / rate, packet_seconds)
  return seconds
}

function walkPages(bytes: Uint8Array, view: DataView, start: number, tracks: Map<number, Track>): void {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  // What is between pages is passed over, as players do.
  for (let at = start; ; ) {
    at = buffer.indexOf('OggS', at)
    if (at < 0 || at + PAGE_HEADER_BYTES > bytes.length) return
    const table = at + PAGE_HEADER_BYTES
    const body = table + (bytes[at + 26] ?? 0)
    const serial = view.getUint32(at + 14, true)
    const track = tracks.get(serial) ?? firstPage(bytes, view, body)
    let end = body
    let begins = ((bytes[at + 5] ?? 0) & CONTINUED) === 0
    for (let index = table; index < body; index++) {
      const length = bytes[index] ?? 0
      if (track) track.packet_seconds += segmentSeconds(track, bytes, { at: end, length, begins })
      begins = length < 255
      end += length
    }
    if (track) {
      // -1: no packet ends on this page.
      const position = view.getBigInt64(at + 6, true)
      if (position > 0n) track.last_position = Math.max(track.last_position, Number(position))
      tracks.set(serial, track)
    }
    at = end > bytes.length ? table : end
  }
}

function segmentSeconds(
  { is_opus }: Track,
  bytes: Uint8Array,
  { at, length, begins }: { at: number; length: number; begins: boolean },
): number {
  if (!is_opus) return length / MAX_VORBIS_BYTES_PER_S
  if (!begins || OPUS_HEADERS.some((text) => hasText(bytes, at, text))) return 0
  return opusSeconds(bytes, at, at + length)
}

/** A track begins with the header of its codec. */
function firstPage(bytes: Uint8Array, view: DataView, body: number): Track | undefined {
  const begun = { last_position: 0, packet_seconds: 0 }
  if (hasText(bytes, body, 'OpusHead')) return { ...begun, rate: OPUS_RATE, is_opus: true }
  if (!hasText(bytes, body, '\x01vorbis') || body + 16 > bytes.length) return undefined
  const rate = view.getUint32(body + 12, true)
  return rate === 0 ? undefined : { ...begun, rate, is_opus: false }
}
