// The passage between different protocols: decoded to the canonical form, and encoded for the other side.
import type { Usage } from '../../domain/usage.ts'
import type {
  ServerSentEvent,
  StreamDecoder,
  StreamEncoder,
  StreamEvent,
} from '../../protocols/canonical/stream.ts'
import type { Protocol } from '../../protocols/protocol.ts'
import { decodeByteString } from '../../protocols/wire/byte-string.ts'
import { type EventTranslation, reframe } from '../../upstream/relay.ts'
import type { Passage, TextRequest } from './passage.ts'

export function translation({ dialect, context }: TextRequest, protocol: Protocol): Passage {
  const caller = dialect.protocol.text
  const provider = protocol.text

  return {
    protocol,
    forwarded_headers: {},
    answer({ json }, billed) {
      const decoded = provider.decodeAnswer(json, context.id)
      return JSON.stringify(caller.encodeAnswer({ ...decoded, usage: billed }, context))
    },
    stream: (reading, billed) =>
      reframe(
        reading,
        dialect.frame,
        translateEvents(
          provider.createStreamDecoder(context.id),
          caller.createStreamEncoder(context),
          billed,
        ),
      ),
  }
}

function translateEvents(
  decoder: StreamDecoder,
  encoder: StreamEncoder,
  billed: () => Usage,
): EventTranslation {
  // The provider's own report of the usage gives way to what is billed, which comes before the end.
  function encode(events: readonly StreamEvent[]): ServerSentEvent[] {
    const encoded: ServerSentEvent[] = []
    for (const event of events) {
      if (event.type === 'error') throw event.error
      if (event.type === 'usage') continue
      if (event.type === 'end') encoded.push(...encoder.encode({ type: 'usage', usage: billed() }))
      encoded.push(...encoder.encode(event))
    }
    return encoded
  }
  return {
    next: (data) => encode(decoder.decode(decodeByteString(data))),
    finish: () => encode(decoder.finish()),
  }
}
