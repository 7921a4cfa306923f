// The work that measuring the documents of one request may take: what they unfold to is paid for in steps, however few their bytes are.

/** The tokens of the document are unknown: it counts as the longest that its provider takes. */
export class Unreadable extends Error {}

/** A step is a nanosecond, about. What ordinary documents take is a tenth of this. */
const STEPS_PER_BYTE = 500
/** Of a document of a few hundred bytes. */
const SPARE_STEPS = 2_000_000
/** All documents of a request, however long they are: the thread that measures them is everybody's. */
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

  /** Is called before the work is done. @throws Unreadable if no steps are left for it */
  spend(steps: number): void {
    if (steps > this.#left_steps) {
      this.#left_steps = 0
      throw new Unreadable()
    }
    this.#left_steps -= steps
  }
}
