// The close codes and reasons of a connection, and the count of consecutive messages that cost their caller nothing.
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
/** One of the largest messages, which Bun needs ten milliseconds to receive. */
const MAX_UNPAID_BYTES = 16 * 1024 * 1024

/** Counts consecutive messages without a held amount: they request no response, or were refused before. */
export class Unpaid {
  #messages = 0
  #bytes = 0

  /** Counts a message. @returns false if the caller has sent too many */
  add(bytes: number): boolean {
    this.#messages++
    this.#bytes += bytes
    return this.#messages <= MAX_UNPAID && this.#bytes <= MAX_UNPAID_BYTES
  }

  /** Called when money was held for a call. */
  reset(): void {
    this.#messages = 0
    this.#bytes = 0
  }
}
