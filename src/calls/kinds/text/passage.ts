// The way of a text call's bytes between its caller and a provider.
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

/** A caller's request, whichever provider gets it. */
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

/** Either passes through or translates; which of the two was decided when it was made (passages.ts). */
export interface Passage {
  readonly protocol: Protocol
  /** The caller's headers that are forwarded. */
  readonly forwarded_headers: Readonly<Record<string, string>>
  /** The extras beyond tokens in the request that the provider gets. */
  readonly extras: readonly RequestedExtra[]
  /** The whole answer for the caller. @param billed the charged usage, which replaces any other in the answer */
  answer(answer: WholeAnswer, billed: Billed, details: AnsweredAs): Uint8Array<ArrayBuffer> | string
  /** The relay of a stream's events. */
  stream(reading: StreamReading, answered: StreamedAnswer): Relay
}

interface AnsweredAs {
  /** The provider's own name of the model. */
  upstream_model: string
  /** JSON was requested in words: text around it is removed. */
  wants_json: boolean
  /** The service tier that served; undefined for the standard one. */
  service_tier: string | undefined
}

export interface StreamedAnswer {
  /** As for `answer`, by the events read so far. */
  billed: () => Billed
  /** As for `answer`, likewise. */
  service_tier: () => string | undefined
  /** The provider's own name of the model. */
  upstream_model: string
  /** Puts the names of tools that the caller knows into the data of an event; undefined where all are those. */
  restore: ((data: ByteString) => ByteString) | undefined
}

/** The passage to each route, made for its protocol at the first use. */
export type Passages = (route: ProtocolRoute) => Passage
