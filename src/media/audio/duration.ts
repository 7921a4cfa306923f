// The duration of audio, by its container's own headers and frames; nothing is decoded.
import type { AudioBytes, DurationReader } from './bytes.ts'
import { flacSeconds } from './flac.ts'
import { framesSeconds, tagBytes } from './frames.ts'
import { matroskaSeconds } from './matroska.ts'
import { mp4Seconds } from './mp4.ts'
import { oggSeconds } from './ogg.ts'
import { wavSeconds } from './wav.ts'

/** MPEG frames have the least to be known by, so they come last. */
const READERS: readonly DurationReader[] = [
  wavSeconds,
  oggSeconds,
  flacSeconds,
  mp4Seconds,
  matroskaSeconds,
  framesSeconds,
]

/** Longer than any audio that is not made to mislead. */
const MAX_SECONDS = 7 * 24 * 3_600

/**
 * The duration of audio in a WAV, Ogg (Opus, Vorbis), FLAC, MP4, WebM, MP3 or ADTS (AAC) container. Of what a header says and what its
 * bytes show, the longer one counts: a header may be written to mislead.
 *
 * @returns whole milliseconds; undefined where the container is unknown or does not tell
 */
export function audioDurationMs(given: AudioBytes): number | undefined {
  const audio = withoutTag(given)
  const { head } = audio
  const view = new DataView(head.buffer, head.byteOffset, head.length)
  for (const read of READERS) {
    const seconds = read(audio, view)
    if (seconds !== undefined) return inMs(seconds)
  }
  return undefined
}

/** Readers pass over a tag of ID3 before any container. */
function withoutTag(audio: AudioBytes): AudioBytes {
  const { head, tail, total_bytes } = audio
  const length = tagBytes(head)
  if (length === 0 || length >= head.length) return audio
  const rest = head.subarray(length)
  return { head: rest, tail: tail === head ? rest : tail, total_bytes: total_bytes - length }
}

/** The duration of all of these bytes. */
export const wholeDurationMs = (bytes: Uint8Array): number | undefined =>
  audioDurationMs({ head: bytes, tail: bytes, total_bytes: bytes.length })

const inMs = (seconds: number): number | undefined =>
  seconds > 0 && seconds <= MAX_SECONDS ? Math.ceil(seconds * 1_000) : undefined
