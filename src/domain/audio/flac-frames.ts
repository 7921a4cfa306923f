// The headers of FLAC frames. Each has its number of samples, and a checksum that distinguishes it from audio data.
// RFC 9639, section 9.1
import { type InSteps, STEP_PARTS } from './bytes.ts'

interface FlacFrame {
  samples: number
  /** Undefined if it is the stream's rate. */
  rate: number | undefined
  /** The stated number of samples before it. */
  position: number
  header_bytes: number
}

const RATES = [
  undefined,
  88_200,
  176_400,
  192_000,
  8_000,
  16_000,
  22_050,
  24_000,
  32_000,
  44_100,
  48_000,
  96_000,
] as const
const MAX_HEADER_BYTES = 16
const MAX_CHANNEL_CODE = 10
const RESERVED_SAMPLE_SIZE = 3

/** @returns undefined if there is no header */
export function flacFrameAt(bytes: Uint8Array, at: number): FlacFrame | undefined {
  if (!mayBegin(bytes, at)) return undefined
  const second = bytes[at + 1] ?? 0
  const third = bytes[at + 2] ?? 0
  const fourth = bytes[at + 3] ?? 0
  const size_code = third >> 4
  const rate_code = third & 15
  if (size_code === 0 || rate_code === 15 || fourth >> 4 > MAX_CHANNEL_CODE || (fourth & 1) === 1)
    return undefined
  if (((fourth >> 1) & 7) === RESERVED_SAMPLE_SIZE) return undefined
  const number = codedNumber(bytes, at + 4)
  if (!number) return undefined
  let end = at + 4 + number.bytes
  const next = (count: number): number => {
    let value = 0
    for (const stop = end + count; end < stop; end++) value = value * 256 + (bytes[end] ?? 0)
    return value
  }
  const samples = size_code === 6 ? next(1) + 1 : size_code === 7 ? next(2) + 1 : sizeOf(size_code)
  const rate =
    rate_code === 12
      ? next(1) * 1_000
      : rate_code === 13
        ? next(2)
        : rate_code === 14
          ? next(2) * 10
          : RATES[rate_code]
  if (rate === 0 || end >= bytes.length || bytes[end] !== checksum(bytes, at, end)) return undefined
  const is_variable = (second & 1) === 1
  const position = is_variable ? number.value : number.value * samples
  return { samples, rate, position, header_bytes: end + 1 - at }
}

const mayBegin = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8 && at + 6 <= bytes.length

const sizeOf = (code: number): number => (code === 1 ? 192 : code < 6 ? 576 << (code - 2) : 256 << (code - 8))

/** Decodes a number in the form of a UTF-8 code point of up to seven bytes. */
function codedNumber(bytes: Uint8Array, at: number): { value: number; bytes: number } | undefined {
  const first = bytes[at] ?? 0xff
  const ones = Math.clz32(~(first << 24))
  if (ones === 0) return { value: first, bytes: 1 }
  if (ones === 1 || ones > 7) return undefined
  let value = first & (0x7f >> ones)
  for (let index = 1; index < ones; index++) {
    const byte = bytes[at + index] ?? 0
    if ((byte & 0xc0) !== 0x80) return undefined
    value = value * 64 + (byte & 0x3f)
  }
  return { value, bytes: ones }
}

/** CRC-8 with the polynomial x^8 + x^2 + x + 1, without a table, since headers are short. */
function checksum(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0
  for (let at = from; at < Math.min(to, from + MAX_HEADER_BYTES); at++) {
    crc ^= bytes[at] ?? 0
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80 ? ((crc << 1) ^ 0x07) & 0xff : crc << 1
  }
  return crc
}

interface FlacRun {
  /** The duration of all frames; infinite if too many false headers show that the file is forged. */
  seconds: number
  /** The end of the last frame, by its stated position. */
  end_seconds: number
}

/** The maximum number of false headers: sound has one in 32,000 bytes. */
const MAX_MISSES = 100_000

/** @param stream_rate for frames without a rate; of two rates the lower one counts */
export function* walkFlacFrames(bytes: Uint8Array, start: number, stream_rate: number): InSteps<FlacRun> {
  const samples_of = new Map<number, number>()
  let end_seconds = 0
  let misses = 0
  let parts = 0
  for (let at = start; at < bytes.length; ) {
    if (++parts % STEP_PARTS === 0) yield
    if (bytes[at] !== 0xff) {
      at = bytes.indexOf(0xff, at)
      if (at < 0) break
    }
    if (!mayBegin(bytes, at)) {
      at++
      continue
    }
    const frame = flacFrameAt(bytes, at)
    if (!frame && ++misses > MAX_MISSES) return { seconds: Number.POSITIVE_INFINITY, end_seconds }
    const rate = frame && slowestOf(frame, stream_rate)
    if (frame && rate !== undefined) {
      samples_of.set(rate, (samples_of.get(rate) ?? 0) + frame.samples)
      end_seconds = (frame.position + frame.samples) / rate
    }
    at += frame?.header_bytes ?? 1
  }
  let seconds = 0
  for (const [rate, samples] of samples_of) seconds += samples / rate
  return { seconds, end_seconds }
}

/** @returns undefined if neither states a rate */
export function frameSeconds(frame: FlacFrame, stream_rate: number): number | undefined {
  const rate = slowestOf(frame, stream_rate)
  return rate === undefined ? undefined : frame.samples / rate
}

function slowestOf({ rate }: FlacFrame, stream_rate: number): number | undefined {
  const slowest = Math.min(rate ?? Number.POSITIVE_INFINITY, stream_rate || Number.POSITIVE_INFINITY)
  return Number.isFinite(slowest) ? slowest : undefined
}
