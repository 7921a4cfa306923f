// The dialect of one text call: the caller's protocol and stream format.
import type { CallerProtocol, Protocol } from '../../../protocols/protocol.ts'
import type { ByteString } from '../../../protocols/wire/byte-string.ts'
import type { JsonObject } from '../../../protocols/wire/json.ts'
import type { Frame } from '../../../upstream/relay.ts'
import type { Attempt } from '../../../upstream/routes.ts'

export interface Dialect {
  protocol: CallerProtocol
  frame: Frame
  /** Whether events of the caller's protocol pass as bytes, without new framing. */
  raw: boolean
  /** Whether the caller wants usage in the stream. */
  shows_usage: boolean
  /** Edits the data of an event that passes through; undefined hides the event. Absent if no event changes. */
  editEvent?: ((data: ByteString) => ByteString | undefined) | undefined
  answering?: AnswerHooks | undefined
}

/** A surface's hooks on one call's answer. */
export interface AnswerHooks {
  /** Further headers of the answer. */
  headers: Readonly<Record<string, string>>
  /** Called with the route that answers. @param protocol the protocol of the upstream request */
  answeredBy(attempt: Attempt, protocol: Protocol): void
  /** Edits a whole answer in the caller's protocol. */
  whole(answer: JsonObject): JsonObject
  /** Called once the answer is complete and paid, before its end is sent. Never throws. */
  paid(): Promise<void>
}
