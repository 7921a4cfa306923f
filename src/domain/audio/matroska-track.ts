// The minimum duration of a Matroska track's frames, by its codec, since the container's times may be forged.
// https://www.matroska.org/technical/codec_specs.html
import { AAC_RATES, AAC_SAMPLES, aacFrameSeconds } from './aac.ts'
import { hasText, MAX_VORBIS_BYTES_PER_S } from './bytes.ts'
import { flacFrameAt, frameSeconds } from './flac-frames.ts'
import { frameAt } from './frames.ts'
import { opusSeconds } from './opus.ts'

export interface MatroskaTrack {
  number: number
  codec: string
  /** 0 if it is not stated. */
  rate: number
  channels: number
  bits: number
  /** The start and end of the codec's configuration. */
  configuration: readonly [at: number, end: number]
  /** Whether its frames are additionally compressed or encrypted. */
  is_wrapped: boolean
  /** The factor of its blocks' times. */
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

/** The maximum data rate of MPEG audio, for frames without a bit rate. */
const MAX_MPEG_BYTES_PER_S = 80_000
const FLAC_RATE_AT = 18
/** RFC 9559, section 5.1.4.1.29.1 */
const DEFAULT_RATE = 8_000

/** Whether the frames of a codec state their duration, or it is no sound: pictures and subtitles last as long as their blocks state. */
export const hasFrameDuration = (codec: string): boolean =>
  !codec.startsWith('A_') || /^A_(?:OPUS|AAC|MPEG\/|FLAC|VORBIS|PCM\/)/.test(codec)

type FrameSeconds = (bytes: Uint8Array, at: number, end: number) => number

/** Returns a function that measures a frame of the track; 0 if frames of its codec do not state their duration. */
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

/** Decoders follow the configuration. If it differs from the track's rate, the longer frame counts. */
function aacSeconds({ rate, configuration: [at, end] }: MatroskaTrack, bytes: Uint8Array): number {
  const declared = rate > 0 ? AAC_SAMPLES / rate : 0
  const configured = aacFrameSeconds(bytes, at, end) ?? 0
  return Math.max(declared, configured) || AAC_SAMPLES / Math.max(...AAC_RATES)
}

/** The rate in the stream's own header, if the configuration has it, otherwise the track's. */
function flacRate({ rate, configuration: [at, end] }: MatroskaTrack, bytes: Uint8Array): number {
  if (!hasText(bytes, at, 'fLaC') || at + FLAC_RATE_AT + 3 > end) return rate
  const [a = 0, b = 0, c = 0] = bytes.subarray(at + FLAC_RATE_AT, at + FLAC_RATE_AT + 3)
  const own = (a << 12) | (b << 4) | (c >> 4)
  return rate > 0 && own > 0 ? Math.min(rate, own) : own || rate
}
