// Owns how a text call's bytes turn between what its caller speaks and what its provider speaks: not at all, or translated.
import type { JsonBody } from './body.ts'
import type { AnswerContext, StreamDecoder, StreamEncoder } from './protocols/canonical.ts'
import type { JsonObject, Protocol, StreamReading } from './protocols/protocol.ts'
import { TRANSLATORS } from './protocols/translators.ts'
import { type Frame, passOn, type Relay, reframe } from './upstream/relay.ts'

/** What a caller speaks in one call, and how he wants it framed. */
export interface Dialect {
  protocol: Protocol
  /** How his stream is framed. Events of his own protocol pass as bytes where it is `raw`. */
  frame: Frame
  raw: boolean
  /** Whether he wants to be told the usage of a stream. */
  shows_usage: boolean
  /** Whether an event of his own protocol is shown to him; without it all are. */
  shows?: ((data: Buffer) => boolean) | undefined
}

/** One request as a provider is to get it. */
export interface Conversion {
  dialect: Dialect
  body: JsonBody
  streams: boolean
  context: AnswerContext
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
  { dialect, body, streams }: Conversion,
  provider: Protocol,
  upstream: UpstreamModel,
): Uint8Array | string {
  const same = provider.name === dialect.protocol.name
  const json = same ? body.json : translateRequest(dialect.protocol, body.json, streams, provider, upstream)
  const prepared = provider.prepare(json, { model: upstream.model, streams })
  const limited =
    upstream.output_limit === undefined ? prepared : provider.limitOutput(prepared, upstream.output_limit)
  return limited === body.json ? body.bytes : JSON.stringify(limited)
}

function translateRequest(
  from: Protocol,
  json: JsonObject,
  streams: boolean,
  to: Protocol,
  upstream: UpstreamModel,
): JsonObject {
  const request = TRANSLATORS[from.name].decodeRequest(json, streams)
  return TRANSLATORS[to.name].encodeRequest(request, upstream)
}

/** The whole answer for the caller: the provider's bytes, or what they say in his protocol. */
export function convertAnswer(
  { dialect, context }: Conversion,
  provider: Protocol,
  answer: { bytes: ArrayBuffer; json: JsonObject },
): ArrayBuffer | string {
  if (provider.name === dialect.protocol.name) return answer.bytes
  const decoded = TRANSLATORS[provider.name].decodeAnswer(answer.json, context.id)
  return JSON.stringify(TRANSLATORS[dialect.protocol.name].encodeAnswer(decoded, context))
}

/** The way of a stream's events to the caller. */
export function convertStream(
  { dialect, context }: Conversion,
  provider: Protocol,
  reading: StreamReading,
): Relay {
  const { protocol, frame, raw, shows } = dialect
  if (provider.name !== protocol.name) {
    const decoder = TRANSLATORS[provider.name].createStreamDecoder(context.id)
    const encoder = TRANSLATORS[protocol.name].createStreamEncoder(context)
    return reframe(reading, frame, translating(decoder, encoder))
  }
  if (raw && !shows) return passOn(reading, frame)
  return reframe(reading, frame, {
    next: (data) => (shows?.(data) === false ? [] : [{ data: data.toString() }]),
    finish: () => [],
  })
}

function translating(decoder: StreamDecoder, encoder: StreamEncoder) {
  const encode = (events: ReturnType<StreamDecoder['finish']>) =>
    events.flatMap((event) => encoder.encode(event))
  return {
    next: (data: Buffer) => encode(decoder.decode(data.toString())),
    finish: () => encode(decoder.finish()),
  }
}
