// The way of a text call's bytes between its caller and a provider.
import type { Provider, TextModel } from '../../domain/catalogue.ts'
import type { AskedExtra } from '../../domain/extras.ts'
import type { Billed } from '../../pricing/billed-usage.ts'
import type { AnswerContext } from '../../protocols/canonical/answer.ts'
import type { TargetModel } from '../../protocols/canonical/request.ts'
import type { Protocol, StreamReading } from '../../protocols/protocol.ts'
import type { JsonObject } from '../../protocols/wire/json.ts'
import type { JsonBody } from '../../protocols/wire/json-body.ts'
import type { Relay } from '../../upstream/relay.ts'
import type { Dialect } from './dialect.ts'

/** A caller's request, on its way to whichever provider. */
export interface TextRequest {
  /** The model that is called. */
  model: TextModel
  dialect: Dialect
  body: JsonBody
  streams: boolean
  context: AnswerContext
}

export interface UpstreamModel extends TargetModel {
  /** The output limit to send instead of the caller's, where the model or the balance allows less. */
  output_limit: number | undefined
}

export interface WholeAnswer {
  bytes: ArrayBuffer
  json: JsonObject
}

/** Either passes through or translates; which of the two was decided when it was made (passages.ts). */
export interface Passage {
  readonly protocol: Protocol
  /** Headers of the caller's that the provider is to get too. */
  readonly forwarded_headers: Readonly<Record<string, string>>
  /** @throws GatewayError invalid_request naming the field that the provider's protocol cannot carry */
  assertCarries(target: TargetModel): void
  /** What the request, as the provider gets it, asks for beyond tokens. @throws as `assertCarries` */
  extras(): readonly AskedExtra[]
  /** The body for the provider. @throws as `assertCarries` */
  request(upstream: UpstreamModel): Uint8Array | string
  /** The whole answer for the caller. @param billed the usage that is paid for, and shown in place of another */
  answer(answer: WholeAnswer, billed: Billed): ArrayBuffer | string
  /** The relay of a stream's events. @param billed as for `answer`, by what was read until it is asked */
  stream(reading: StreamReading, billed: () => Billed): Relay
}

/** The passage to each protocol, made when it is first asked for. */
export type Passages = (provider: Provider) => Passage
