// The ends of a caller's connection, as its caller is told them, and its count of messages in a row that nobody pays for.
import type { SocketEnd } from '../../../src/http/socket-memory.ts'

export const UNPAID: SocketEnd = {
  code: 1008,
  reason: 'Too many messages in a row that were refused or asked for no response.',
}
export const NO_ROOM: SocketEnd = { code: 1013, reason: 'Too many large messages wait. Connect again later.' }
export const FLOOD: SocketEnd = {
  code: 1008,
  reason: 'Too many messages at once. Send fewer before they are answered.',
}
export const FORGOTTEN: SocketEnd = {
  code: 1013,
  reason: 'The conversation cannot be remembered. Send all of it again.',
}

const MAX_UNPAID = 100
/** One of the largest: the runtime takes ten milliseconds for it before anybody sees it. */
const MAX_UNPAID_BYTES = 16 * 1024 * 1024

/** Messages that ask for no response, and those refused before money is held. */
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
