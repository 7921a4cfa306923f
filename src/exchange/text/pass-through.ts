// The passage between equal protocols: the caller's own bytes to the provider, and the provider's own to the caller.
import type { Protocol } from '../../protocols/protocol.ts'
import { decodeByteString } from '../../protocols/wire/byte-string.ts'
import { passOn, reframe } from '../../upstream/relay.ts'
import type { Passage, TextRequest } from './passage.ts'

/** @param forwarded_headers headers of the caller's that the provider is to get too */
export function passThrough(
  { dialect }: TextRequest,
  protocol: Protocol,
  forwarded_headers: Readonly<Record<string, string>>,
): Passage {
  const { frame, raw, shown } = dialect
  return {
    protocol,
    forwarded_headers,
    answer: ({ bytes }) => bytes,
    stream(reading) {
      if (raw && !shown) return passOn(reading, frame)
      return reframe(reading, frame, {
        next(data) {
          const left = shown ? shown(data) : data
          return left === undefined ? [] : [{ data: decodeByteString(left) }]
        },
        finish: () => [],
      })
    },
  }
}
