// The options of a caller's WebSocket connection, and the messages in its queues.
import type { GatewayError } from '../../../src/domain/errors.ts'
import type { OpenSocket } from '../../../src/http/socket-memory.ts'
import type { SharedBytes } from '../../../src/utilities/shared-bytes.ts'
import type { Create, Unwrap } from './envelope.ts'
import type { Turns } from './turns.ts'

/** The result of a request. */
export interface Served {
  answer: Response
  /** Whether the call was admitted, so that money was held for it. */
  was_let_in: boolean
}

export interface ConnectionOptions {
  account_id: number
  opened_at_ms: number
  /** The memory of messages of all connections that wait for their calls. */
  arrived: SharedBytes
  /** Distributes the turns of the event loop between all connections. */
  turns: Turns
  /** Checks, before a large message is parsed, that its call could be admitted. @throws GatewayError if not */
  assertWelcome(): Promise<void>
  /** Parses the envelope of a large message. */
  unwrap: Unwrap
  /** Creates the response, as POST does. Never throws: a failure is an answer, too. */
  serve(create: Create, about: { signal: AbortSignal; onTaken: () => void }): Promise<Served>
  /** Makes the answer to an invalid message. */
  refuse(thrown: GatewayError): Response
  onOpen(connection: OpenSocket): void
  /** Called for each received message. */
  onMessage(connection: OpenSocket, bytes: number): void
  /** @param code the close code (RFC 6455, 7.4) */
  onClose(connection: OpenSocket, code: number): void
}

/** A message that is not parsed yet, and its size. */
export interface Message {
  text: string | Uint8Array
  bytes: number
}

/** A parsed request that waits for its call. */
export interface WaitingRequest extends Create {
  bytes: number
}
