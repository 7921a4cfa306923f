// A passage: the conversion of a text call between its caller and a provider.
import type { RequestedExtra } from '../../../domain/extras.ts'
import type { Billed } from '../../../money/pricing/billed-usage.ts'
import type { AnswerContext } from '../../../protocols/canonical/answer.ts'
import type { ProtocolRoute } from '../../../protocols/facts.ts'
import type { Protocol, StreamReading } from '../../../protocols/protocol.ts'
import type { ByteString } from '../../../protocols/wire/byte-string.ts'
import type { JsonObject } from '../../../protocols/wire/json.ts'
import type { Relay } from '../../../upstream/relay.ts'
import type { TextBody } from './body.ts'
import type { Dialect } from './dialect.ts'

/** A caller's request, before a provider is chosen. */
export interface TextRequest {
  dialect: Dialect
  body: TextBody
  streams: boolean
  context: AnswerContext
}

interface WholeAnswer {
  bytes: Uint8Array<ArrayBuffer>
  json: JsonObject
}

/** Passes through or translates, as decided when it was created (passages.ts). */
export interface Passage {
  readonly protocol: Protocol
  /** The caller's headers that are forwarded. */
  readonly forwarded_headers: Readonly<Record<string, string>>
  /** The extras billed beyond tokens in the upstream request. */
  readonly extras: readonly RequestedExtra[]
  /** Writes a whole answer for the caller. @param billed the charged usage, which replaces any other in the answer */
  answer(answer: WholeAnswer, billed: Billed, details: AnswerDetails): Uint8Array<ArrayBuffer> | string
  /** Creates the relay of a stream's events. */
  stream(reading: StreamReading, answered: StreamedAnswer): Relay
}

interface AnswerDetails {
  /** The provider's name of the model. */
  upstream_model: string
  /** The prompt asks for JSON in words: text around it is removed. */
  wants_json: boolean
  /** The service tier that the provider used; undefined for the standard one. */
  service_tier: string | undefined
}

export interface StreamedAnswer {
  /** As for `answer`, for the events read so far. */
  billed: () => Billed
  /** As for `answer`, for the events read so far. */
  service_tier: () => string | undefined
  /** The provider's name of the model. */
  upstream_model: string
  /** Restores the caller's tool names in the data of an event; undefined if none were changed. */
  restore: ((data: ByteString) => ByteString) | undefined
}

/** Returns the passage to a route; made once for each protocol. */
export type Passages = (route: ProtocolRoute) => Passage
