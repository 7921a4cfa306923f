// The duration of Ogg: the positions of its pages, by the sample rate of the codec inside.
// RFC 3533, section 6; RFC 7845 (Opus), section 4; https://xiph.org/vorbis/doc/Vorbis_I_spec.html, section 4.2.2
import { type DurationReader, hasText } from './bytes.ts'

const PAGE_HEADER_BYTES = 27
/** Opus counts its positions at this rate, whatever the input had. */
const OPUS_RATE = 48_000

interface Track {
  rate: number
  last_position: number
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
  for (const { rate, last_position } of tracks.values()) seconds += last_position / rate
  return seconds
}

function walkPages(bytes: Uint8Array, view: DataView, start: number, tracks: Map<number, Track>): void {
  let at = start
  while (at + PAGE_HEADER_BYTES <= bytes.length && hasText(bytes, at, 'OggS')) {
    const segments = bytes[at + 26] ?? 0
    const body = at + PAGE_HEADER_BYTES + segments
    let body_bytes = 0
    for (let index = at + PAGE_HEADER_BYTES; index < body; index++) body_bytes += bytes[index] ?? 0
    const serial = view.getUint32(at + 14, true)
    const track = tracks.get(serial) ?? firstPage(bytes, view, body)
    if (track) {
      // -1: no packet ends on this page.
      const position = view.getBigInt64(at + 6, true)
      if (position > 0n) track.last_position = Math.max(track.last_position, Number(position))
      tracks.set(serial, track)
    }
    at = body + body_bytes
  }
}

/** A track begins with the header of its codec. */
function firstPage(bytes: Uint8Array, view: DataView, body: number): Track | undefined {
  if (hasText(bytes, body, 'OpusHead')) return { rate: OPUS_RATE, last_position: 0 }
  if (!hasText(bytes, body, '\x01vorbis') || body + 16 > bytes.length) return undefined
  const rate = view.getUint32(body + 12, true)
  return rate === 0 ? undefined : { rate, last_position: 0 }
}
