// The duration of FLAC: the samples that its first block counts, and at least those that its bytes could be uncompressed.
// RFC 9639, section 8.2
import { type DurationReader, hasText } from './bytes.ts'

const STREAM_INFO_END = 42

export const flacSeconds: DurationReader = ({ head, total_bytes }, view) => {
  if (!hasText(head, 0, 'fLaC') || head.length < STREAM_INFO_END) return undefined
  const packed = view.getUint32(18)
  const rate = packed >>> 12
  const channels = ((packed >>> 9) & 7) + 1
  const bits = ((packed >>> 4) & 31) + 1
  if (rate === 0) return undefined
  const samples = (packed & 15) * 2 ** 32 + view.getUint32(22)
  const uncompressed_seconds = total_bytes / (rate * channels * (bits / 8))
  return samples === 0 ? undefined : Math.max(samples / rate, uncompressed_seconds)
}
