// The least that the frames of a Matroska track last, by its codec: what the container says of their time may be written to mislead.
// https://www.matroska.org/technical/codec_specs.html
import { AAC_RATES, AAC_SAMPLES, aacFrameSeconds } from './aac.ts'
import { hasText, MAX_VORBIS_BYTES_PER_S } from './bytes.ts'
import { flacFrameAt, frameSeconds } from './flac-frames.ts'
import { frameAt } from './frames.ts'
import { opusSeconds } from './opus.ts'

export interface MatroskaTrack {
  number: number
  codec: string
  /** 0 if it is not told. */
  rate: number
  channels: number
  bits: number
  /** The codec's own configuration: where it begins and ends. */
  configuration: readonly [at: number, end: number]
  /** Its frames are compressed or encrypted once more. */
  is_wrapped: boolean
  /** By which the times of its blocks are multiplied. */
  time_scale: number
}

export const newTrack = (): MatroskaTrack => ({
  number: 0,
  codec: '',
  rate: 0,
  channels: 1,
  bits: 0,
  configuration: [0, 0],
  is_wrapped: false,
  time_scale: 1,
})

/** MPEG audio in no rate of its own has no more. */
const MAX_MPEG_BYTES_PER_S = 80_000
const FLAC_RATE_AT = 18
/** RFC 9559, section 5.1.4.1.29.1 */
const DEFAULT_RATE = 8_000

/** Whether frames of a codec tell what they last; those of pictures and subtitles last as long as their blocks say. */
export const hasFrameDuration = (codec: string): boolean =>
  !codec.startsWith('A_') || /^A_(?:OPUS|AAC|MPEG\/|FLAC|VORBIS|PCM\/)/.test(codec)

type FrameSeconds = (bytes: Uint8Array, at: number, end: number) => number

/** How long a frame of the track lasts, as far as it tells. */
export function frameSecondsOf(track: MatroskaTrack, bytes: Uint8Array): FrameSeconds {
  const { codec, rate, channels, bits } = track
  if (codec === 'A_OPUS') return opusSeconds
  if (codec.startsWith('A_AAC')) {
    const seconds = aacSeconds(track, bytes)
    return () => seconds
  }
  if (codec.startsWith('A_MPEG/'))
    return (_, at, end) => frameAt(bytes, at)?.seconds ?? (end - at) / MAX_MPEG_BYTES_PER_S
  if (codec === 'A_FLAC') {
    const stream_rate = flacRate(track, bytes)
    return (_, at) => {
      const frame = flacFrameAt(bytes, at)
      return (frame && frameSeconds(frame, stream_rate)) ?? 0
    }
  }
  if (codec === 'A_VORBIS') return (_, at, end) => (end - at) / MAX_VORBIS_BYTES_PER_S
  if (codec.startsWith('A_PCM/'))
    return (_, at, end) => (end - at) / ((rate || DEFAULT_RATE) * channels * Math.max(1, Math.ceil(bits / 8)))
  return () => 0
}

/** A decoder goes by the configuration; of two that differ the longer frame counts. */
function aacSeconds({ rate, configuration: [at, end] }: MatroskaTrack, bytes: Uint8Array): number {
  const declared = rate > 0 ? AAC_SAMPLES / rate : 0
  const configured = aacFrameSeconds(bytes, at, end) ?? 0
  return Math.max(declared, configured) || AAC_SAMPLES / Math.max(...AAC_RATES)
}

/** The rate of the stream's own header, where it stands in the configuration; else the track's. */
function flacRate({ rate, configuration: [at, end] }: MatroskaTrack, bytes: Uint8Array): number {
  if (!hasText(bytes, at, 'fLaC') || at + FLAC_RATE_AT + 3 > end) return rate
  const [a = 0, b = 0, c = 0] = bytes.subarray(at + FLAC_RATE_AT, at + FLAC_RATE_AT + 3)
  const own = (a << 12) | (b << 4) | (c >> 4)
  return rate > 0 && own > 0 ? Math.min(rate, own) : own || rate
}
