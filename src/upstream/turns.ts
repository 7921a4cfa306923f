// Fair use of the event loop by streams: each turn reads a budget of stream data, then everything else is served.
import { eventEnd } from '../protocols/wire/sse.ts'

/** 8 ms of the shortest events, translated. */
export const TURN_WEIGHT = 64 * 1024
/** Bytes after an event's beginning weigh less: long texts and images are copied, not walked through. */
const BEGINNING_BYTES = 64
const REST_WEIGHT = 1 / 64
/** Shorter chunks weigh their length in bytes: to look for their events is not worth it. */
const MIN_WALKED_BYTES = 1024
/** Streams with lighter steps go first, for half of a turn: live readers do not wait for floods. */
const LIGHT_WEIGHT = TURN_WEIGHT / 16
/** A flood continues this many times before the next gets its turn: all waiting ones are in memory, until their readers are behind. */
export const TURNS_IN_A_ROW = 8
/** The length of chunks from streams that arrive faster than they are read. */
const LONG_BYTES = 128 * 1024
/** Garbage is collected after this many bytes of long chunks; after fewer in a turn without any stream. */
const GARBAGE_BYTES = 48 * 1024 * 1024
const LITTLE_GARBAGE_BYTES = 8 * 1024 * 1024

/** A stream that takes turns. */
export interface QueuedStream {
  /** The weight of its last step: the next is likely to weigh as much. */
  step_weight: number
  /** The turns that it has had since it last joined the end of the line. */
  turns_in_a_row: number
  goOn(): void
}

/**
 * The runtime delivers an upstream's bytes without ending the turn of the event loop, so that one fast stream would block all other
 * work for as long as it flows. The budget is counted in weights of events, without reading a clock: under low load, one turn in
 * hundreds of chunks waits for the next.
 */
export class Turns {
  #left = TURN_WEIGHT
  readonly #light: QueuedStream[] = []
  readonly #heavy: QueuedStream[] = []
  #is_next_set = false
  #long_bytes = 0
  readonly #begin = () => this.#next()

  /** Whether the budget of this turn is used up, or other streams wait: then call `wait`. */
  get must_wait(): boolean {
    return this.#left <= 0 || this.#is_any_waiting
  }

  get #is_any_waiting(): boolean {
    return this.#light.length > 0 || this.#heavy.length > 0
  }

  /**
   * Spends budget on the beginning of a chunk.
   * @returns the end of the part to read now: as many whole events as one turn allows, or the whole chunk if no event ends in it
   */
  spend(stream: QueuedStream, chunk: Uint8Array): number {
    const { length } = chunk
    let end = length
    let weight = length
    if (length >= MIN_WALKED_BYTES) {
      end = 0
      weight = 0
      while (end < length && weight < TURN_WEIGHT) {
        const begin = end
        end = eventEnd(chunk, begin)
        weight += Math.min(end - begin, BEGINNING_BYTES) + (end - begin) * REST_WEIGHT
      }
    }
    stream.step_weight = weight
    this.#left -= weight
    if (length >= LONG_BYTES) this.#long_bytes += end
    return end
  }

  /** Adds a stream to the line: a flood at the front, as long as it may continue. */
  wait(stream: QueuedStream): void {
    if (stream.step_weight < LIGHT_WEIGHT) this.#light.push(stream)
    else if (stream.turns_in_a_row > 0 && stream.turns_in_a_row < TURNS_IN_A_ROW) this.#heavy.unshift(stream)
    else {
      stream.turns_in_a_row = 0
      this.#heavy.push(stream)
    }
    this.#setNext()
  }

  /** Passes a chunk on in steps, each in a turn with budget for it. */
  async through(chunk: Uint8Array, take: (step: Uint8Array) => void): Promise<void> {
    const stream: QueuedStream = { step_weight: 0, turns_in_a_row: 0, goOn: () => undefined }
    for (let at = 0; at < chunk.length; ) {
      const rest = chunk.subarray(at)
      const length = this.spend(stream, rest)
      take(rest.subarray(0, length))
      at += length
      if (!this.must_wait) continue
      await new Promise<void>((goOn) => {
        stream.goOn = goOn
        this.wait(stream)
      })
    }
  }

  #setNext(): void {
    if (this.#is_next_set) return
    this.#is_next_set = true
    setImmediate(this.#begin)
  }

  /** Resumes the streams that waited longest, as many as the budget is likely to allow. */
  #next(): void {
    this.#is_next_set = false
    const is_over = this.#left === TURN_WEIGHT && !this.#is_any_waiting
    this.#collect(is_over ? LITTLE_GARBAGE_BYTES : GARBAGE_BYTES)
    if (is_over) return
    this.#left = TURN_WEIGHT
    const resumed = takeFirst(this.#light, this.#heavy.length > 0 ? TURN_WEIGHT / 2 : TURN_WEIGHT)
    const left = TURN_WEIGHT - resumed.reduce((sum, { step_weight }) => sum + step_weight, 0)
    resumed.push(...takeFirst(this.#heavy, left))
    if (this.#is_any_waiting || this.#long_bytes >= LITTLE_GARBAGE_BYTES) this.#setNext()
    for (const stream of resumed) {
      stream.turns_in_a_row++
      stream.goOn()
    }
  }

  /** Collects garbage early: the runtime would let it grow to several times the live memory, which is large if many streams wait. */
  #collect(from_bytes: number): void {
    if (this.#long_bytes < from_bytes) return
    this.#long_bytes = 0
    Bun.gc(false)
  }
}

/** Takes streams out of a line until their weights reach the remaining budget. */
function takeFirst(line: QueuedStream[], left: number): QueuedStream[] {
  let weight = 0
  let count = 0
  for (const { step_weight } of line) {
    if (weight >= left) break
    weight += step_weight
    count++
  }
  return line.splice(0, count)
}

/** Of this process, which has one event loop. */
export const turns = new Turns()
