// The parts of a caller's connection, and the messages that it keeps.
import type { GatewayError } from '../../../src/domain/errors.ts'
import type { OpenSocket } from '../../../src/http/socket-memory.ts'
import type { SharedBytes } from '../../../src/utilities/shared-bytes.ts'
import type { Create, Unwrap } from './envelope.ts'
import type { Turns } from './turns.ts'

/** The outcome of a request. */
export interface Served {
  answer: Response
  /** Money was held for it: else nobody pays for what it took. */
  was_let_in: boolean
}

export interface ConnectionOptions {
  account_id: number
  opened_at_ms: number
  /** Messages of this and other connections that wait for their calls. */
  arrived: SharedBytes
  /** In which this and other connections read messages and begin calls. */
  turns: Turns
  /** Asks, before a large message is read, whether its call could be let in. @throws GatewayError if it could not */
  assertWelcome(): Promise<void>
  /** Takes the envelope off a large message. */
  unwrap: Unwrap
  /** Makes the response, as POST does. Never throws: a failure is an answer. */
  serve(create: Create, about: { signal: AbortSignal; onTaken: () => void }): Promise<Served>
  /** The answer to a message that cannot be understood. */
  refuse(thrown: GatewayError): Response
  /** It is open. */
  onOpen(connection: OpenSocket): void
  /** A message has come, of any size. */
  onMessage(connection: OpenSocket, bytes: number): void
  /** It is over. @param code of the end, as RFC 6455 has it */
  onClose(connection: OpenSocket, code: number): void
}

/** A message that is not read yet, and its size. */
export interface Message {
  text: string | Uint8Array
  bytes: number
}

/** One that waits for its call. */
export interface Arrived extends Create {
  bytes: number
}
