// Owns how a text call's bytes turn between what its caller speaks and what its provider speaks: not at all, or translated.

import type { Provider, TextModel } from '../../domain/catalogue.ts'
import { GatewayError } from '../../domain/errors.ts'
import type { Usage } from '../../domain/usage.ts'
import type { AnswerContext } from '../../protocols/canonical/answer.ts'
import type { TargetModel } from '../../protocols/canonical/request.ts'
import type { StreamDecoder, StreamEncoder, StreamEvent } from '../../protocols/canonical/stream.ts'
import type { Protocol, StreamReading } from '../../protocols/protocol.ts'
import { protocolOf, type Registry } from '../../protocols/registry.ts'
import { type ByteString, decodeByteString } from '../../protocols/wire/byte-string.ts'
import type { JsonObject } from '../../protocols/wire/json.ts'
import type { JsonBody } from '../../protocols/wire/json-body.ts'
import { spliceFields } from '../../protocols/wire/json-splice.ts'
import { type EventTranslation, type Frame, passOn, type Relay, reframe } from '../../upstream/relay.ts'
import { withRoutes } from '../../upstream/routes.ts'

/** What a caller speaks in one call, and how he wants it framed. */
export interface Dialect {
  protocol: Protocol
  /** How his stream is framed. Events of his own protocol pass as bytes where it is `raw`. */
  frame: Frame
  raw: boolean
  /** Whether he wants to be told the usage of a stream. */
  shows_usage: boolean
  /** What he is shown of an event of his own protocol, undefined for nothing; without it he is shown all. */
  shown?: ((data: ByteString) => ByteString | undefined) | undefined
}

/** One request, on its way to whichever provider. */
export interface Conversion {
  dialect: Dialect
  protocols: Registry
  body: JsonBody
  streams: boolean
  context: AnswerContext
  /** What it becomes in another protocol, for those models that were asked for so far; filled as they are. */
  translated: Map<string, JsonObject>
}

export interface UpstreamModel {
  model: string
  max_output_tokens: number
  /** Set where the balance pays for less output than was asked. */
  output_limit: number | undefined
}

/**
 * The body for a provider: the caller's own bytes, wherever nothing in them has to change.
 *
 * @throws GatewayError invalid_request naming the field that the provider's protocol cannot carry
 */
export function convertRequest(
  conversion: Conversion,
  provider: Protocol,
  upstream: UpstreamModel,
): Uint8Array | string {
  const { dialect, body, streams } = conversion
  const same = provider.name === dialect.protocol.name
  const json = same ? body.json : translateRequest(conversion, provider, upstream)
  const prepared = provider.text.prepare(json, { model: upstream.model, streams })
  const limited =
    upstream.output_limit === undefined
      ? prepared
      : provider.text.limitOutput(prepared, upstream.output_limit)
  return same
    ? spliceFields(body.bytes, body.json, limited, provider.text.decisive_fields)
    : JSON.stringify(limited)
}

/**
 * The model with those of its routes that can carry the request. Asked before anything is held: a route that cannot is no
 * route for this call, and a request that none can carry is refused.
 *
 * @throws GatewayError invalid_request naming the field that the first route's protocol cannot carry
 */
export function carriedBy(
  conversion: Conversion,
  model: TextModel,
  providers: ReadonlyMap<string, Provider>,
): TextModel {
  const refusals: GatewayError[] = []
  const carrying = withRoutes(model, (route) => {
    const provider = providers.get(route.provider)
    const to = provider && protocolOf(conversion.protocols, provider)
    const refusal = to && refusalBy(conversion, to, { ...route, max_output_tokens: model.max_output_tokens })
    if (refusal) refusals.push(refusal)
    return refusal === undefined
  })
  if (!carrying) throw refusals[0]
  return carrying
}

function refusalBy(conversion: Conversion, to: Protocol, target: TargetModel): GatewayError | undefined {
  if (to.name === conversion.dialect.protocol.name) return undefined
  try {
    translateRequest(conversion, to, target)
    return undefined
  } catch (thrown) {
    if (thrown instanceof GatewayError) return thrown
    throw thrown
  }
}

/** Translated once for each protocol and model. */
function translateRequest(
  { dialect, body, streams, translated }: Conversion,
  to: Protocol,
  { model, max_output_tokens }: TargetModel,
): JsonObject {
  const key = `${to.name} ${model}`
  const known = translated.get(key)
  if (known) return known
  const request = dialect.protocol.text.decodeRequest(body.json, streams)
  const made = to.text.encodeRequest(request, { model, max_output_tokens })
  translated.set(key, made)
  return made
}

/**
 * The whole answer for the caller: the provider's bytes, or what they say in his protocol.
 * @param billed the usage that he pays for, and is shown
 */
export function convertAnswer(
  { dialect, context }: Conversion,
  provider: Protocol,
  answer: { bytes: ArrayBuffer; json: JsonObject },
  billed: Usage,
): ArrayBuffer | string {
  if (provider.name === dialect.protocol.name) return answer.bytes
  const decoded = provider.text.decodeAnswer(answer.json, context.id)
  return JSON.stringify(dialect.protocol.text.encodeAnswer({ ...decoded, usage: billed }, context))
}

/**
 * The way of a stream's events to the caller.
 * @param billed the usage that he pays for, once the stream has ended: it is what a translated stream shows
 */
export function convertStream(
  { dialect, context }: Conversion,
  provider: Protocol,
  reading: StreamReading,
  billed: () => Usage,
): Relay {
  const { protocol, frame, raw, shown } = dialect
  if (provider.name !== protocol.name) {
    const decoder = provider.text.createStreamDecoder(context.id)
    const encoder = protocol.text.createStreamEncoder(context)
    return reframe(reading, frame, translating(decoder, encoder, billed))
  }
  if (raw && !shown) return passOn(reading, frame)
  return reframe(reading, frame, {
    next(data) {
      const left = shown ? shown(data) : data
      return left === undefined ? [] : [{ data: decodeByteString(left) }]
    },
    finish: () => [],
  })
}

function translating(decoder: StreamDecoder, encoder: StreamEncoder, billed: () => Usage): EventTranslation {
  const encode = (events: readonly StreamEvent[]) =>
    events.flatMap((event) => withUsage(event, billed).flatMap((each) => encoder.encode(each)))
  return {
    next: (data) => encode(decoder.decode(decodeByteString(data))),
    finish: () => encode(decoder.finish()),
  }
}

/** The provider's own telling of the usage gives way to what is billed, which comes before the end. */
function withUsage(event: StreamEvent, billed: () => Usage): StreamEvent[] {
  if (event.type === 'error') throw event.error
  if (event.type === 'usage') return []
  return event.type === 'end' ? [{ type: 'usage', usage: billed() }, event] : [event]
}
