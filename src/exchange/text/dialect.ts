// What a caller speaks in one call, and how the stream to them is framed.
import type { CallerProtocol } from '../../protocols/protocol.ts'
import type { ByteString } from '../../protocols/wire/byte-string.ts'
import type { Frame } from '../../upstream/relay.ts'

export interface Dialect {
  protocol: CallerProtocol
  frame: Frame
  /** Events of the caller's own protocol pass as bytes, not framed anew. */
  raw: boolean
  /** Whether the caller wants to be told the usage of a stream. */
  shows_usage: boolean
  /** What the caller is shown of an event of their own protocol, undefined for nothing; without it they are shown all. */
  shown?: ((data: ByteString) => ByteString | undefined) | undefined
}
