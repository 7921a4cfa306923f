// What a caller speaks in one call, and how the stream to them is framed.
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
  /** Whether the caller wants to be told the usage of a stream. */
  shows_usage: boolean
  /** What the caller is shown of an event of their own protocol, undefined for nothing; without it they are shown all. */
  editEvent?: ((data: ByteString) => ByteString | undefined) | undefined
  /** What is done with the answer of one call; absent if nothing is. */
  answering?: Answering | undefined
}

/** What a surface has to do with an answer on its way. */
export interface Answering {
  /** Further headers of the answer. */
  headers: Readonly<Record<string, string>>
  /** Told of the route that answers. @param protocol the one that it was asked in */
  answeredBy(attempt: Attempt, protocol: Protocol): void
  /** A whole answer in the caller's protocol, as it is shown. */
  whole(answer: JsonObject): JsonObject
  /** The answer is complete and paid for; its end is given out after this. Never throws. */
  paid(): Promise<void>
}
