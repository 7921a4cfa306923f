// The duration of audio, from its container's headers and frames, without decoding.
import { endOfTurn } from '../../utilities/end-of-turn.ts'
import { type AudioBytes, type DurationReader, hasText } from './bytes.ts'
import { flacSeconds } from './flac.ts'
import { framesSeconds, tagBytes } from './frames.ts'
import { matroskaSeconds } from './matroska.ts'
import { isMovie, mp4Seconds } from './mp4.ts'
import { oggSeconds } from './ogg.ts'
import { wavSeconds } from './wav.ts'

/** MPEG frames are the least distinctive, so they come last. */
const READERS: readonly DurationReader[] = [
  wavSeconds,
  oggSeconds,
  flacSeconds,
  mp4Seconds,
  matroskaSeconds,
  framesSeconds,
]

/** A longer duration is considered forged. */
const MAX_SECONDS = 7 * 24 * 3_600
/**
 * The rate of uncompressed 48 kHz, two channels and 24 bits. It gives the minimum duration of a file by its size, whatever rate
 * a forged header states.
 */
const MAX_BYTES_PER_S = 288_000

/**
 * Returns the duration of audio in a WAV, Ogg (Opus, Vorbis), FLAC, MP4, WebM, MP3 or ADTS (AAC) container. The longer one of the header's
 * duration and the frames' counts, since a header may be forged. The minimum is one second per 288,000 bytes.
 *
 * @returns whole milliseconds; undefined if the container is unknown or does not state a duration
 */
export function audioDurationMs(audio: AudioBytes): number | undefined {
  const reading = readMs(audio)
  for (;;) {
    const { done, value } = reading.next()
    if (done) return value
  }
}

/** Returns the duration of a whole file. A long one takes half a second, in steps between which other work can run. */
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
    // Bytes inside another container may look like MPEG frames.
    if (read === matroskaSeconds && isContainer(head)) return undefined
  }
  return undefined
}

/** Removes an ID3 tag before the container, as players do. */
function withoutTag(audio: AudioBytes): AudioBytes {
  const { head, tail, total_bytes } = audio
  const length = tagBytes(head)
  if (length === 0 || length >= head.length) return audio
  const rest = head.subarray(length)
  return { ...audio, head: rest, tail: tail === head ? rest : tail, total_bytes: total_bytes - length }
}

/** First bytes of the containers read here, except MPEG's, and of others that may contain frames: AIFF, CAF, AMR, AU, FLV and ASF. */
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

/** Whether it is MP4, QuickTime, Matroska or WebM, the video containers whose duration can be read. */
export const isVideo = (head: Uint8Array): boolean => isMovie(head) || hasText(head, 0, EBML)

const inMs = (seconds: number, at_least: number): number | undefined =>
  seconds > 0 && seconds <= MAX_SECONDS ? Math.ceil(Math.max(seconds, at_least) * 1_000) : undefined
