// A work budget for measuring the documents of one request, counted in steps, since a few bytes may expand to a long document.

/** The document cannot be measured; it counts as the longest that its provider accepts. */
export class Unreadable extends Error {}

/** A step is about a nanosecond. Ordinary documents take a tenth of this. */
const STEPS_PER_BYTE = 500
/** Enough for a document of a few hundred bytes. */
const SPARE_STEPS = 2_000_000
/** The limit for all documents of a request, since all calls share the thread that measures them. */
const MAX_STEPS = 80_000_000

/** Shared by all documents of a request. */
export class MediaWork {
  #left_steps = SPARE_STEPS
  #granted_steps = SPARE_STEPS

  /** Grants the steps of one more document. */
  add(bytes: number): void {
    const more = Math.min(bytes * STEPS_PER_BYTE, MAX_STEPS - this.#granted_steps)
    this.#granted_steps += more
    this.#left_steps += more
  }

  /** Must be called before the work is done. @throws Unreadable if not enough steps are left */
  spend(steps: number): void {
    if (steps > this.#left_steps) {
      this.#left_steps = 0
      throw new Unreadable()
    }
    this.#left_steps -= steps
  }
}
