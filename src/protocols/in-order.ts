// Parts of an answer that a provider streams side by side, put one after the other.
import type { StreamEvent } from './canonical/stream.ts'

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
