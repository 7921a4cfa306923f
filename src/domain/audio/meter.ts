// A meter of streamed audio: it keeps the beginning and the end, and counts the bytes.
import { audioDurationMs } from './duration.ts'

export interface AudioMeter {
  readonly total_bytes: number
  add(chunk: Uint8Array): void
  /** Whole milliseconds; undefined if its container is unknown. */
  durationMs(): number | undefined
}

/** More than the headers of any container, and than an Ogg page at the end. */
const KEPT_BYTES = 128 * 1024
/** Samples of OpenAI's `pcm`, which has no header: 24 kHz, 16 bits, one channel. */
const PCM_BYTES_PER_S = 48_000

/** The duration of samples without a container, in whole milliseconds. */
export const pcmDurationMs = (bytes: number): number => Math.ceil((bytes * 1_000) / PCM_BYTES_PER_S)

/** @param is_pcm samples without a container */
export function createAudioMeter(is_pcm: boolean): AudioMeter {
  const head = new Uint8Array(KEPT_BYTES)
  const tail: Uint8Array[] = []
  let tail_bytes = 0
  let total_bytes = 0
  return {
    get total_bytes() {
      return total_bytes
    },
    add(chunk) {
      if (total_bytes < KEPT_BYTES) head.set(chunk.subarray(0, KEPT_BYTES - total_bytes), total_bytes)
      total_bytes += chunk.length
      // A copy, since a view would keep the whole chunk in memory.
      const last = chunk.slice(-KEPT_BYTES)
      tail.push(last)
      tail_bytes += last.length
      for (let first = tail[0]; first && tail_bytes - first.length >= KEPT_BYTES; first = tail[0]) {
        tail.shift()
        tail_bytes -= first.length
      }
    },
    durationMs() {
      if (is_pcm) return pcmDurationMs(total_bytes)
      const begin = head.subarray(0, total_bytes)
      const end = total_bytes <= KEPT_BYTES ? begin : Buffer.concat(tail).subarray(-KEPT_BYTES)
      return audioDurationMs({ head: begin, tail: end, total_bytes })
    },
  }
}
