// The input of the container readers: the bytes of an audio file.

/** A whole audio file, or the beginning and the end of one that was too long to keep. */
export interface AudioBytes {
  readonly head: Uint8Array
  /** The last bytes; the same as `head` if that is the whole file. */
  readonly tail: Uint8Array
  readonly total_bytes: number
  /** Whether to ignore durations that only headers state. */
  readonly is_strict?: boolean
}

/** The assumed data rate of audio without a known duration: a low one, so that the duration is not underestimated. */
export const SLOW_BYTES_PER_S = 1_000

/** The rate of Vorbis at its highest quality; its packets do not state their duration. */
export const MAX_VORBIS_BYTES_PER_S = 64_000

/** A computation in steps: it yields after each, so that other work can run. */
export type InSteps<Value> = Generator<void, Value>

/** The number of pages, frames or elements per step: one to two milliseconds. */
export const STEP_PARTS = 2_048

/** Reads the duration of one container, in seconds. @returns undefined for other containers, or if it is not stated */
export type DurationReader = (audio: AudioBytes, view: DataView) => InSteps<number | undefined>

/** Whether the bytes have an ASCII text at a position. */
export function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  if (at < 0 || at + text.length > bytes.length) return false
  for (let index = 0; index < text.length; index++)
    if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
}

/** Returns the longer of two durations, each of which may be unknown. */
export const longer = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
