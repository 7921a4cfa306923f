// A request's passages: its bytes pass through to providers of the caller's protocol, and are translated for all others.
import type { RequestedExtra } from '../../../domain/extras.ts'
import type { Billed } from '../../../money/pricing/billed-usage.ts'
import type {
  ServerSentEvent,
  StreamDecoder,
  StreamEncoder,
  StreamEvent,
} from '../../../protocols/canonical/answer.ts'
import type { RequestFacts } from '../../../protocols/facts.ts'
import { withBareJson } from '../../../protocols/fitting.ts'
import type { Protocol, StreamReading } from '../../../protocols/protocol.ts'
import { type Registry, upstreamProtocol } from '../../../protocols/registry.ts'
import { type ByteString, decodeByteString, toByteString } from '../../../protocols/wire/byte-string.ts'
import { type JsonObject, parseObject } from '../../../protocols/wire/json.ts'
import { type Edit, type EventTranslation, passOn, reframe } from '../../../upstream/relay.ts'
import { modelNameForCaller, renameBytes, renameEach, renameTo } from '../../serving/model-name.ts'
import type { Passage, Passages, StreamedAnswer, TextRequest } from './passage.ts'

/** The parts of a request that only providers of the caller's protocol get. */
interface PassThroughParts {
  /** The caller's headers that are forwarded. */
  forwarded_headers: Readonly<Record<string, string>>
  /** The requested extras that are billed beyond tokens. */
  extras: readonly RequestedExtra[]
}

export function passThrough(
  { dialect, context }: Pick<TextRequest, 'dialect' | 'context'>,
  protocol: Protocol,
  { forwarded_headers, extras }: PassThroughParts,
): Passage {
  const { text } = protocol
  const { frame, raw, editEvent, answering } = dialect
  return {
    protocol,
    forwarded_headers,
    extras,
    answer({ bytes, json }, { usage, estimated }, { upstream_model }) {
      const completed = text.completing?.whole(json, context) ?? json
      const differs = estimated && text.readUsage(json) !== undefined
      const corrected = differs ? text.showUsage(completed, usage) : completed
      const edited = answering ? answering.whole(corrected) : corrected
      const written = edited === json ? bytes : Buffer.from(JSON.stringify(edited))
      if (answering || upstream_model === context.model) return written
      return renameBytes(written, renameTo(context.model, text.model_places.answer))
    },
    stream(reading, { billed, upstream_model, restore }) {
      const correction = () => correctionOf(protocol, reading, billed)
      const has_name = answering !== undefined || upstream_model === context.model
      const { event, once } = text.model_places
      const named = has_name ? undefined : renameEach(context.model, event, once)
      const edit = editOf([text.completing?.stream(context), restore, editEvent, named])
      if (raw) return passOn(reading, frame, correction, edit)
      return reframe(reading, frame, {
        next(data) {
          const edited = edit ? edit(data) : data
          if (edited === undefined) return []
          return [{ data: decodeByteString(correction()?.(edited) ?? edited) }]
        },
        finish: () => [],
      })
    },
  }
}

/** Chains edits; undefined if none exist. */
function editOf(edits: readonly (Edit | undefined)[]): Edit | undefined {
  const [first, ...others] = edits.filter((edit) => edit !== undefined)
  if (!first || others.length === 0) return first
  return (data) => others.reduce((edited, edit) => edited && edit(edited), first(data))
}

/**
 * Replaces the usage that the provider reports at the end of its stream by the billed one; undefined if they are equal.
 * Callers take the last report, so earlier ones stay.
 */
function correctionOf(
  { text }: Protocol,
  reading: StreamReading,
  billed: () => Billed,
): ((data: ByteString) => ByteString) | undefined {
  if (!reading.finished || reading.usage() === undefined) return undefined
  const { usage, estimated } = billed()
  return estimated ? (data) => withUsage(data, (event) => text.showUsage(event, usage)) : undefined
}

function withUsage(data: ByteString, show: (event: JsonObject) => JsonObject): ByteString {
  const event = parseObject(decodeByteString(data))
  const corrected = event && show(event)
  return corrected === event ? data : toByteString(Buffer.from(JSON.stringify(corrected)))
}

export function translation(
  { dialect, context }: Pick<TextRequest, 'dialect' | 'context'>,
  protocol: Protocol,
): Passage {
  const caller = dialect.protocol.text
  const provider = protocol.text

  return {
    protocol,
    forwarded_headers: {},
    // Translation drops or refuses every extra that is billed beyond tokens.
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
  // The billed usage replaces the provider's report, and is written before the end.
  let has_end = false
  let failure: unknown
  function encode(events: readonly StreamEvent[]): ServerSentEvent[] {
    const encoded: ServerSentEvent[] = []
    for (const event of events) {
      if (event.type === 'error') throw event.error
      if (event.type === 'usage') continue
      has_end ||= event.type === 'end'
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
    next(data) {
      try {
        return encode(decoder.decode(decodeByteString(restore?.(data) ?? data)))
      } catch (thrown) {
        failure ??= thrown
        throw thrown
      }
    },
    finish() {
      const rest = encode(decoder.finish())
      // The provider completed its answer, but no valid end can be written.
      if (failure !== undefined && !has_end) throw failure
      return rest
    },
  }
}

/** Returns the passages of one request. @param own for providers of the caller's protocol */
export function passagesOf(
  request: TextRequest,
  facts: RequestFacts,
  protocols: Registry,
  own: PassThroughParts,
): Passages {
  // One or two protocols: searching a list is faster than creating a map.
  const made: Passage[] = []
  return ({ provider, model, endpoint, generation }) => {
    const { protocol: callers } = request.dialect
    const protocol = upstreamProtocol(protocols, {
      provider,
      model,
      endpoint,
      generation,
      caller: callers.name,
      facts,
    })
    for (const known of made) if (known.protocol === protocol) return known
    const passage =
      protocol.name === callers.name ? passThrough(request, protocol, own) : translation(request, protocol)
    made.push(passage)
    return passage
  }
}
