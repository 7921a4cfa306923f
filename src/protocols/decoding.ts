// The parts that stream decoders have in common: the open part of each candidate, the order of items side by side, the end.
import { brokenStream } from '../domain/errors.ts'
import { inFull, type ReportedUsage } from '../domain/usage.ts'
import type { PartStart, StreamEvent } from './canonical/answer.ts'

export interface OpenParts {
  openKey(candidate: number): string | undefined
  /** The events that make the part of this key the open one; none where it already is. */
  open(candidate: number, key: string, part: PartStart): StreamEvent[]
  close(candidate: number): StreamEvent[]
}

/** For one stream. */
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

/** Events of several items, of which one is written at a time; what comes of others waits until that one has ended. */
export class InOrder {
  #open: number | undefined
  readonly #waiting = new Map<number, Waiting>()

  /** Adds an item's events; the first call gives the item its place, even without events. @returns events to write now */
  add(item: number, events: readonly StreamEvent[]): readonly StreamEvent[] {
    this.#open ??= item
    if (item === this.#open) return events
    this.#waitingOf(item).events.push(...events)
    return []
  }

  /** The item is complete. @returns the events that waited for that */
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

/** The state that every decoder keeps of its stream. */
export interface DecodedStream {
  /** The last event is out. */
  ended: boolean
  usage: ReportedUsage | undefined
}

/** The last events of a stream that is complete. */
export function endStream(state: DecodedStream): StreamEvent[] {
  state.ended = true
  const usage = inFull(state.usage)
  return [...(usage ? [{ type: 'usage', usage } as const] : []), { type: 'end' }]
}

/** The last event of a stream that is not. @param cause for the log: what was missing, or the event that could not be read */
export function failStream(state: DecodedStream, cause: string): StreamEvent[] {
  state.ended = true
  return [{ type: 'error', error: brokenStream(cause) }]
}
