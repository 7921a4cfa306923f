// Parts that all stream decoders share: the open part of each candidate, the order of parallel items, and the end of a stream.
import { brokenStream } from '../domain/errors.ts'
import { inFull, type ReportedUsage } from '../domain/usage.ts'
import type { PartStart, StreamEvent } from './canonical/answer.ts'

export interface OpenParts {
  openKey(candidate: number): string | undefined
  /** Opens the part with this key and returns the events for that; none if it is already open. */
  open(candidate: number, key: string, part: PartStart): StreamEvent[]
  close(candidate: number): StreamEvent[]
}

export function createOpenParts(): OpenParts {
  const keys = new Map<number, string>()

  const close = (candidate: number): StreamEvent[] =>
    keys.delete(candidate) ? [{ type: 'part_end', candidate }] : []

  return {
    openKey: (candidate) => keys.get(candidate),
    open(candidate, key, part) {
      if (keys.get(candidate) === key) return []
      const ended = close(candidate)
      keys.set(candidate, key)
      return [...ended, { type: 'part_start', candidate, part }]
    },
    close,
  }
}

interface Waiting {
  readonly events: StreamEvent[]
  ended: boolean
}

/** Puts events of parallel items in sequence: one item is written at a time, and events of the others wait until it has ended. */
export class ItemSequence {
  #open: number | undefined
  readonly #waiting = new Map<number, Waiting>()

  /** Adds an item's events. The first call gives the item its place, even without events. @returns events to write now */
  add(item: number, events: readonly StreamEvent[]): readonly StreamEvent[] {
    this.#open ??= item
    if (item === this.#open) return events
    this.#waitingOf(item).events.push(...events)
    return []
  }

  /** Ends an item. @returns the events that waited for its end */
  end(item: number): StreamEvent[] {
    if (item !== this.#open) {
      const waiting = this.#waiting.get(item)
      if (waiting) waiting.ended = true
      return []
    }
    this.#open = undefined
    const released: StreamEvent[] = []
    for (const [next, { events, ended }] of this.#waiting) {
      this.#waiting.delete(next)
      released.push(...events)
      if (ended) continue
      this.#open = next
      break
    }
    return released
  }

  #waitingOf(item: number): Waiting {
    const known = this.#waiting.get(item)
    if (known) return known
    const waiting = { events: [], ended: false }
    this.#waiting.set(item, waiting)
    return waiting
  }
}

/** The state that every decoder keeps for its stream. */
export interface DecoderState {
  /** Whether the last event was emitted. */
  ended: boolean
  usage: ReportedUsage | undefined
}

/** The last events of a complete stream. */
export function endStream(state: DecoderState): StreamEvent[] {
  state.ended = true
  const usage = inFull(state.usage)
  return [...(usage ? [{ type: 'usage', usage } as const] : []), { type: 'end' }]
}

/** The last event of an incomplete stream. @param cause for the log: what was missing, or the event that could not be read */
export function failStream(state: DecoderState, cause: string): StreamEvent[] {
  state.ended = true
  return [{ type: 'error', error: brokenStream(cause) }]
}
