// The relay of an answer without events, such as audio: passes its bytes on as they come.
import type { StreamReading } from '../protocols/protocol.ts'
import type { Relay } from './relay.ts'

/** For a body without events: the answer is complete when its body ends. */
const UNREAD: StreamReading = {
  finished: false,
  failed: false,
  read: () => undefined,
  usage: () => undefined,
  deliveredTokens: () => 0,
}

/** @param look called with every chunk */
export const passBytes = (content_type: string, look: (chunk: Uint8Array) => void): Relay => ({
  content_type,
  reading: UNREAD,
  failed_event: undefined,
  ends_with_body: true,
  push(chunk) {
    look(chunk)
    return chunk
  },
  end: () => undefined,
  fail: () => undefined,
})
