// The share of the event loop that streams have: so much of all of them is read in one turn, then everything else is served.
import { eventEnd } from '../protocols/wire/sse.ts'

/** Of the shortest events, translated, this takes 8 ms. */
export const TURN_WEIGHT = 64 * 1024
/** Bytes after an event's beginning weigh less: long texts and pictures are copied, not walked through. */
const BEGINNING_BYTES = 64
const REST_WEIGHT = 1 / 64
/** Shorter chunks weigh what they have in bytes: it is not worth it to look for their events. */
const MIN_WALKED_BYTES = 1024
/** Streams whose steps weigh less go first, for half of a turn: live readers do not wait for floods. */
const LIGHT_WEIGHT = TURN_WEIGHT / 16
/** A flood goes on so many times before the next has its turn: all that wait are in memory, until their readers are behind. */
export const TURNS_IN_A_ROW = 8
/** So long are the chunks of streams that come faster than they are read. */
const LONG_BYTES = 128 * 1024
/** After so many bytes of them, what they left is collected; where they have come to an end, after less. */
const GARBAGE_BYTES = 48 * 1024 * 1024
const LITTLE_GARBAGE_BYTES = 8 * 1024 * 1024

/** A stream that takes turns. */
export interface InLine {
  /** The weight of its last step: the next is likely to weigh as much. */
  step_weight: number
  /** How many turns it has had since it came to the end of the line. */
  turns_in_a_row: number
  goOn(): void
}

/**
 * The runtime hands out an upstream's bytes without a turn of the event loop in between, so that one fast stream would keep all
 * other work waiting for as long as it flows. The budget is counted in what events weigh, and no clock is read: where little
 * flows, one turn in hundreds of chunks waits for the next.
 */
export class Turns {
  #left = TURN_WEIGHT
  readonly #light: InLine[] = []
  readonly #heavy: InLine[] = []
  #is_next_set = false
  #long_bytes = 0
  readonly #begin = () => this.#next()

  /** Whether the budget of this turn is used up, or others are before: then `wait`. */
  get are_taken(): boolean {
    return this.#left <= 0 || this.#is_any_waiting
  }

  get #is_any_waiting(): boolean {
    return this.#light.length > 0 || this.#heavy.length > 0
  }

  /**
   * Spends what the beginning of a chunk takes.
   * @returns where that ends: after as many whole events as one turn takes, and at the chunk's end if no event ends in it
   */
  spend(stream: InLine, chunk: Uint8Array): number {
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

  /** Joins the line: a flood at its front, while it may go on. */
  wait(stream: InLine): void {
    if (stream.step_weight < LIGHT_WEIGHT) this.#light.push(stream)
    else if (stream.turns_in_a_row > 0 && stream.turns_in_a_row < TURNS_IN_A_ROW) this.#heavy.unshift(stream)
    else {
      stream.turns_in_a_row = 0
      this.#heavy.push(stream)
    }
    this.#setNext()
  }

  /** Hands a chunk over in steps, each in a turn that has room for it. */
  async through(chunk: Uint8Array, take: (step: Uint8Array) => void): Promise<void> {
    const stream: InLine = { step_weight: 0, turns_in_a_row: 0, goOn: () => undefined }
    for (let at = 0; at < chunk.length; ) {
      const rest = chunk.subarray(at)
      const length = this.spend(stream, rest)
      take(rest.subarray(0, length))
      at += length
      if (!this.are_taken) continue
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

  /** Lets those who waited longest go on, as many as the budget is likely to last for. */
  #next(): void {
    this.#is_next_set = false
    const is_over = this.#left === TURN_WEIGHT && !this.#is_any_waiting
    this.#collect(is_over ? LITTLE_GARBAGE_BYTES : GARBAGE_BYTES)
    if (is_over) return
    this.#left = TURN_WEIGHT
    const going = takeFirst(this.#light, this.#heavy.length > 0 ? TURN_WEIGHT / 2 : TURN_WEIGHT)
    const left = TURN_WEIGHT - going.reduce((sum, { step_weight }) => sum + step_weight, 0)
    going.push(...takeFirst(this.#heavy, left))
    if (this.#is_any_waiting || this.#long_bytes >= LITTLE_GARBAGE_BYTES) this.#setNext()
    for (const stream of going) {
      stream.turns_in_a_row++
      stream.goOn()
    }
  }

  /** The runtime lets garbage grow to several times of what is in memory, which is much where many streams wait. */
  #collect(from_bytes: number): void {
    if (this.#long_bytes < from_bytes) return
    this.#long_bytes = 0
    Bun.gc(false)
  }
}

/** Takes streams out of a line until their steps weigh as much as is left. */
function takeFirst(line: InLine[], left: number): InLine[] {
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
