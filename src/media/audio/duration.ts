// The duration of audio, by its container's own headers and frames; nothing is decoded.
import type { AudioBytes, DurationReader } from './bytes.ts'
import { flacSeconds } from './flac.ts'
import { framesSeconds } from './frames.ts'
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
export function audioDurationMs(audio: AudioBytes): number | undefined {
  const { head } = audio
  const view = new DataView(head.buffer, head.byteOffset, head.length)
  for (const read of READERS) {
    const seconds = read(audio, view)
    if (seconds !== undefined) return inMs(seconds)
  }
  return undefined
}

/** The duration of all of these bytes. */
export const wholeDurationMs = (bytes: Uint8Array): number | undefined =>
  audioDurationMs({ head: bytes, tail: bytes, total_bytes: bytes.length })

const inMs = (seconds: number): number | undefined =>
  seconds > 0 && seconds <= MAX_SECONDS ? Math.ceil(seconds * 1_000) : undefined
