// The bytes of audio as readers of containers look at them.

/** Audio of which all is at hand, or, where it was too long to keep, its begin and its end. */
export interface AudioBytes {
  readonly head: Uint8Array
  /** The last bytes; the same as `head` where that is all. */
  readonly tail: Uint8Array
  readonly total_bytes: number
  /** A duration that only headers tell is not believed. */
  readonly is_strict?: boolean
}

/** Audio that does not tell its duration is taken to be slow. */
export const SLOW_BYTES_PER_S = 1_000

/** Vorbis at its highest quality; its packets do not tell their duration. */
export const MAX_VORBIS_BYTES_PER_S = 64_000

/** A reading in steps: others have their turn after each. */
export type InSteps<Value> = Generator<void, Value>

/** Pages, frames and elements of one step: they take a millisecond, or two. */
export const STEP_PARTS = 2_048

/** A reader of one container. @returns undefined for what is not its container, or does not tell */
export type DurationReader = (audio: AudioBytes, view: DataView) => InSteps<number | undefined>

/** Whether ASCII text stands in bytes at a place. */
export function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  if (at < 0 || at + text.length > bytes.length) return false
  for (let index = 0; index < text.length; index++)
    if (bytes[at + index] !== text.charCodeAt(index)) return false
  return true
}

/** The longer of two durations, of which either may be unknown. */
export const longer = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other)
