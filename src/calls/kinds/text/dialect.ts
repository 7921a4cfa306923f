// The dialect of one text call: the caller's protocol, and the frame of its stream.
import type { CallerProtocol, Protocol } from '../../../protocols/protocol.ts'
import type { ByteString } from '../../../protocols/wire/byte-string.ts'
import type { JsonObject } from '../../../protocols/wire/json.ts'
import type { Frame } from '../../../upstream/relay.ts'
import type { Attempt } from '../../../upstream/routes.ts'

export interface Dialect {
  protocol: CallerProtocol
  frame: Frame
  /** Events of the caller's own protocol pass as bytes, not framed anew. */
  raw: boolean
  /** Whether the caller wants the usage of a stream. */
  shows_usage: boolean
  /** The visible data of an event that passes through, undefined to hide it; absent where all are visible. */
  editEvent?: ((data: ByteString) => ByteString | undefined) | undefined
  answering?: Answering | undefined
}

/** A surface's hooks on the answer of one call. */
export interface Answering {
  /** Further headers of the answer. */
  headers: Readonly<Record<string, string>>
  /** Called with the route that answers. @param protocol of the upstream request */
  answeredBy(attempt: Attempt, protocol: Protocol): void
  /** The visible form of a whole answer in the caller's protocol. */
  whole(answer: JsonObject): JsonObject
  /** The answer is complete and paid for; its end is sent after this. Never throws. */
  paid(): Promise<void>
}
