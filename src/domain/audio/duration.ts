// The duration of audio, by its container's own headers and frames; nothing is decoded.
import { endOfTurn } from '../../utilities/end-of-turn.ts'
import { type AudioBytes, type DurationReader, hasText } from './bytes.ts'
import { flacSeconds } from './flac.ts'
import { framesSeconds, tagBytes } from './frames.ts'
import { matroskaSeconds } from './matroska.ts'
import { isMovie, mp4Seconds } from './mp4.ts'
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
 * Samples as they are, of 48 kHz, two channels and 24 bits. What takes more bytes for a second counts as if it took these: whatever
 * rate a header makes up, a file's bytes last so long at least.
 */
const MAX_BYTES_PER_S = 288_000

/**
 * The duration of audio in a WAV, Ogg (Opus, Vorbis), FLAC, MP4, WebM, MP3 or ADTS (AAC) container. Of what a header says and what its
 * bytes show, the longer one counts: a header may be written to mislead. No file lasts less than a second for each 288,000 bytes.
 *
 * @returns whole milliseconds; undefined if the container is unknown or does not tell
 */
export function audioDurationMs(audio: AudioBytes): number | undefined {
  const reading = readMs(audio)
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value
  }
}

/** The duration of all of these bytes. Long ones take half a second: others have their turn meanwhile. */
export async function measureDurationMs(bytes: Uint8Array): Promise<number | undefined> {
  const reading = readMs({ head: bytes, tail: bytes, total_bytes: bytes.length })
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value
    await endOfTurn()
  }
}

function* readMs(source: AudioBytes): ReturnType<DurationReader> {
  const audio = withoutTag(source)
  const { head } = audio
  const view = new DataView(head.buffer, head.byteOffset, head.length)
  for (const read of READERS) {
    const seconds = yield* read(audio, view)
    if (seconds !== undefined) return inMs(seconds, audio.total_bytes / MAX_BYTES_PER_S)
    // A frame in another container is no frame of MPEG's.
    if (read === matroskaSeconds && isContainer(head)) return undefined
  }
  return undefined
}

/** Readers pass over a tag of ID3 before any container. */
function withoutTag(audio: AudioBytes): AudioBytes {
  const { head, tail, total_bytes } = audio
  const length = tagBytes(head)
  if (length === 0 || length >= head.length) return audio
  const rest = head.subarray(length)
  return { ...audio, head: rest, tail: tail === head ? rest : tail, total_bytes: total_bytes - length }
}

/** Of all containers that are read here but for MPEG's, and of others that have frames inside: AIFF, CAF, AMR, AU, FLV and ASF. */
const NAMES = ['RIFF', 'RF64', 'RIFX', 'OggS', 'fLaC', 'FORM', 'FRM8', 'caff', '#!', '.snd', 'FLV', '0&\xb2u']
const OTHERS = [
  'wvPk',
  'MAC ',
  'TTA1',
  'DSD ',
  'ADIF',
  'Crea',
  '\x0bw',
  '\x7f\xfe\x80\x01',
  '\0\0\x01',
  'G@',
  '.RMF',
]
const EBML = '\x1aE\xdf\xa3'

const isContainer = (head: Uint8Array): boolean =>
  isMovie(head) || [...NAMES, ...OTHERS, EBML].some((name) => hasText(head, 0, name))

/** Of other videos than MP4, QuickTime and WebM the duration is not known. */
export const isVideo = (head: Uint8Array): boolean => isMovie(head) || hasText(head, 0, EBML)

const inMs = (seconds: number, at_least: number): number | undefined =>
  seconds > 0 && seconds <= MAX_SECONDS ? Math.ceil(Math.max(seconds, at_least) * 1_000) : undefined
