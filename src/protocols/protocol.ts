// Owns the verbs that every wire protocol has. A protocol is a folder of pure functions, gathered in its index.ts.

import type { GatewayError } from '../domain/errors.ts'
import type { Usage } from '../domain/usage.ts'
import type {
  AnswerContext,
  ConversationAnswer,
  ConversationRequest,
  StreamDecoder,
  StreamEncoder,
  TargetModel,
} from './canonical.ts'
import type { EmbeddingProtocol } from './embeddings.ts'
import type { RequestFacts, UpstreamFailure, UpstreamTarget } from './facts.ts'
import type { ImageProtocol } from './images.ts'
import type { ByteString } from './wire/byte-string.ts'
import type { JsonObject } from './wire/json.ts'

/**
 * One stream watched as it passes. Made to cost next to nothing for each event: `read` only searches bytes, and what was
 * remembered is decoded when it is asked for. Vendors repeat their usage in every event, and only the last one counts.
 */
export interface StreamReading {
  /**
   * Takes the next event.
   * @param data one event's payload after `data:`, whole, as a byte string
   */
  read(data: ByteString): void
  /** The stream said that its answer is complete. Events may still follow, and the last usage among them wins. */
  readonly finished: boolean
  /** The upstream reported an error inside the stream. */
  readonly failed: boolean
  /**
   * The usage as last reported; undefined while none was. Of a stream that broke before it was `finished`, its output may
   * lag behind what was delivered, for some vendors report it at the end only.
   */
  usage(): Usage | undefined
  /** All output that passed, in estimated tokens: what a stream is charged by where it ended without saying. */
  deliveredTokens(): number
}

/** The reading of streams, by a protocol's own rules. */
export interface StreamRules {
  /** A new reading, for one stream. */
  open(): StreamReading
}

/** The verbs that translate: from and to the canonical form, whole and streamed. */
export interface Translator {
  /**
   * A caller's request.
   * @param streams what the address asks for, where the body does not say
   * @throws GatewayError invalid_request for what is malformed or cannot be carried
   */
  decodeRequest(body: JsonObject, streams: boolean): ConversationRequest
  /** The request for a provider. @throws GatewayError invalid_request for what this protocol cannot say */
  encodeRequest(request: ConversationRequest, target: TargetModel): JsonObject
  /** A provider's whole answer. @param call_id the gateway's id of the call, from which missing ids are made */
  decodeAnswer(body: JsonObject, call_id: string): ConversationAnswer
  /** The whole answer for a caller. */
  encodeAnswer(answer: ConversationAnswer, context: AnswerContext): JsonObject
  /** A reader of one provider's stream. @param call_id as for decodeAnswer */
  createStreamDecoder(call_id: string): StreamDecoder
  /** A writer of one caller's stream. */
  createStreamEncoder(context: AnswerContext): StreamEncoder
}

/** The verbs of text calls: reading, pricing and passing on this protocol's own bytes, and translating them. */
export interface TextProtocol extends Translator {
  /** @throws GatewayError invalid_request for what cannot be priced or is plainly wrong */
  readRequest(body: JsonObject): RequestFacts
  /** Top-level fields that the price of a call hangs on: written twice, they would be read as one value here and another there. */
  readonly decisive_fields: ReadonlySet<string>
  /** The request as a provider of this protocol is to get it; the very same object where nothing has to change. */
  prepare(body: JsonObject, call: { model: string; streams: boolean }): JsonObject
  /** The same request with its output limit lowered. */
  limitOutput(body: JsonObject, max_output_tokens: number): JsonObject
  target(call: { model: string; api_key: string; streams: boolean }): UpstreamTarget
  /** Billing facts of a whole answer; undefined where it carries no usage (absent is not zero). */
  readUsage(answer: JsonObject): Usage | undefined
  /** Output of a whole answer in estimated tokens, for an answer without usage. */
  estimateOutput(answer: JsonObject): number
  readonly stream: StreamRules
}

/** A wire protocol: what is common to all its calls, and its verbs for each kind of model. */
export interface Protocol {
  readonly name: string
  /** A whole answer that refuses: the provider's status and body, understood. */
  readFailure(status: number, headers: Headers, body: string): UpstreamFailure
  /** An error in this protocol's shape, for a caller. */
  renderError(error: GatewayError, request_id: string): { status: number; body: JsonObject }
  /** The same as a record of a stream that has already begun. */
  renderStreamError(error: GatewayError, request_id: string): string
  readonly text: TextProtocol
  /** Absent where the protocol draws no images. */
  readonly images?: ImageProtocol
  /** Absent where the protocol has no embeddings. */
  readonly embeddings?: EmbeddingProtocol
}
