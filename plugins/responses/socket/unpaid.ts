// The messages of a connection that nobody pays for, in a row: those that ask for no response, and those refused before money is held.

const MAX_UNPAID = 100
/** One of the largest: the runtime takes ten milliseconds for it before anybody sees it. */
const MAX_UNPAID_BYTES = 16 * 1024 * 1024

export class Unpaid {
  #messages = 0
  #bytes = 0

  /** One more. @returns whether it is answered; else the caller has sent too many */
  add(bytes: number): boolean {
    this.#messages++
    this.#bytes += bytes
    return this.#messages <= MAX_UNPAID && this.#bytes <= MAX_UNPAID_BYTES
  }

  /** Something was paid for. */
  reset(): void {
    this.#messages = 0
    this.#bytes = 0
  }
}
