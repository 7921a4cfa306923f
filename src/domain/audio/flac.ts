// The duration of FLAC: the number of samples in its first block, but at least that of its frames, and of its bytes as uncompressed
// samples. RFC 9639, sections 8.2 and 9.1
import { type DurationReader, hasText } from './bytes.ts'
import { walkFlacFrames } from './flac-frames.ts'

const STREAM_INFO_END = 42

export const flacSeconds: DurationReader = function* ({ head, tail, total_bytes }, view) {
  if (!hasText(head, 0, 'fLaC') || head.length < STREAM_INFO_END) return undefined
  const packed = view.getUint32(18)
  const rate = packed >>> 12
  const channels = ((packed >>> 9) & 7) + 1
  const bits = ((packed >>> 4) & 31) + 1
  const samples = (packed & 15) * 2 ** 32 + view.getUint32(22)
  const framed_seconds =
    head.length === total_bytes
      ? (yield* walkFlacFrames(head, STREAM_INFO_END, rate)).seconds
      : (yield* walkFlacFrames(tail, 0, rate)).end_seconds
  if (rate === 0) return framed_seconds
  const uncompressed_seconds = total_bytes / (rate * channels * (bits / 8))
  const declared_seconds = samples / rate
  return declared_seconds === 0 && framed_seconds === 0
    ? undefined
    : Math.max(declared_seconds, framed_seconds, uncompressed_seconds)
}
