// The passage between different protocols: decoded to the canonical form, and encoded for the other side.
import type { RequestedExtra } from '../../../domain/extras.ts'
import type {
  ServerSentEvent,
  StreamDecoder,
  StreamEncoder,
  StreamEvent,
} from '../../../protocols/canonical/answer.ts'
import { withBareJson } from '../../../protocols/fitting.ts'
import type { Protocol } from '../../../protocols/protocol.ts'
import { decodeByteString } from '../../../protocols/wire/byte-string.ts'
import { type EventTranslation, reframe } from '../../../upstream/relay.ts'
import { modelNameForCaller } from '../../serving/model-name.ts'
import type { Passage, StreamedAnswer, TextRequest } from './passage.ts'

export function translation(
  { dialect, context }: Pick<TextRequest, 'dialect' | 'context'>,
  protocol: Protocol,
): Passage {
  const caller = dialect.protocol.text
  const provider = protocol.text

  return {
    protocol,
    forwarded_headers: {},
    // Translation drops or refuses everything that is billed beyond tokens.
    extras: NO_EXTRAS,
    answer({ json }, billed, { upstream_model, wants_json, service_tier }) {
      const read = provider.decodeAnswer(json, context.id)
      const decoded = wants_json ? withBareJson(read) : read
      const model = modelNameForCaller(decoded.model, { requested: context.model, upstream_model })
      const encoded = caller.encodeAnswer({ ...decoded, model, usage: billed.usage, service_tier }, context)
      return JSON.stringify(dialect.answering?.whole(encoded) ?? encoded)
    },
    stream: (reading, { billed, service_tier, upstream_model, restore }) =>
      reframe(
        reading,
        dialect.frame,
        translateEvents(
          provider.createStreamDecoder(context.id),
          caller.createStreamEncoder(context),
          () => ({ type: 'usage', usage: billed().usage, service_tier: service_tier() }),
          {
            nameForCaller: (model) => modelNameForCaller(model, { requested: context.model, upstream_model }),
            restore,
          },
        ),
      ),
  }
}

const NO_EXTRAS: readonly RequestedExtra[] = []

interface Renaming {
  nameForCaller: (model: string | undefined) => string | undefined
  restore: StreamedAnswer['restore']
}

function translateEvents(
  decoder: StreamDecoder,
  encoder: StreamEncoder,
  conclusion: () => Extract<StreamEvent, { type: 'usage' }>,
  { nameForCaller, restore }: Renaming,
): EventTranslation {
  // The provider's own report of the usage gives way to what is billed, which comes before the end.
  function encode(events: readonly StreamEvent[]): ServerSentEvent[] {
    const encoded: ServerSentEvent[] = []
    for (const event of events) {
      if (event.type === 'error') throw event.error
      if (event.type === 'usage') continue
      if (event.type === 'end') encoded.push(...encoder.encode(conclusion()))
      encoded.push(...encoder.encode(event.type === 'start' ? started(event) : event))
    }
    return encoded
  }
  function started(event: Extract<StreamEvent, { type: 'start' }>): StreamEvent {
    const usage = event.usage === undefined ? undefined : conclusion().usage
    return { ...event, model: nameForCaller(event.model), usage }
  }
  return {
    next: (data) => encode(decoder.decode(decodeByteString(restore?.(data) ?? data))),
    finish: () => encode(decoder.finish()),
  }
}
