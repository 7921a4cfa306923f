// The verbs that every wire protocol has. A protocol is a folder of pure functions, gathered in its index.ts.

import type { Provider } from '../domain/catalogue.ts'
import type { GatewayError } from '../domain/errors.ts'
import type { KeyHeader } from '../domain/servers/known-server.ts'
import type { ProviderAddress } from '../domain/servers/lookup.ts'
import type { ReportedUsage, Usage } from '../domain/usage.ts'
import type { AnswerContext, ConversationAnswer, StreamDecoder, StreamEncoder } from './canonical/answer.ts'
import type { RedactedThinkingPart, ThinkingPart } from './canonical/parts.ts'
import type { ConversationRequest, NamedModel, TargetModel } from './canonical/request.ts'
import type { Carries } from './carries.ts'
import type { Completing } from './completing.ts'
import type { EmbeddingProtocol } from './embeddings.ts'
import type { ExtrasProtocol } from './extras.ts'
import type { RequestFacts, RoutedCall, UpstreamFailure, UpstreamTarget } from './facts.ts'
import type { FitTarget, Fitted } from './fitting.ts'
import type { ImageProtocol } from './images.ts'
import type { MediaFields } from './media-places.ts'
import type { NameRule } from './tool-names.ts'
import type { UnitProtocols } from './unit-calls.ts'
import type { ByteString } from './wire/byte-string.ts'
import type { JsonObject } from './wire/json.ts'
import type { Names } from './wire/json-names.ts'

/**
 * One stream, read as it passes. Reading must cost next to nothing for each event: `read` only searches bytes, and what
 * it keeps is decoded on demand. Providers repeat their usage in every event; only the last one counts.
 */
export interface StreamReading {
  /** Takes the next event. @param data one event's whole payload after `data:`, as a byte string */
  read(data: ByteString): void
  /** The stream said that its answer is complete. Events may still follow; the last usage among them counts. */
  readonly finished: boolean
  /** The upstream reported an error inside the stream. */
  readonly failed: boolean
  /**
   * The usage as last reported; undefined if none has been. For a stream that broke before it was `finished`, its
   * output may be less than what was delivered, because some providers report output only at the end.
   */
  usage(): ReportedUsage | undefined
  /**
   * All output that passed, in estimated tokens: it is charged where the stream ended without telling its usage. Of each kind, kinds
   * that are not known yet included; once, however often events repeat it.
   */
  deliveredTokens(): number
}

/** How this protocol's streams are read. */
export interface StreamRules {
  open(): StreamReading
}

/** How to recognise an answer without output. */
export interface EmptyRules {
  /** The field of the list that every answer has. */
  readonly answers_in: string
  /** An answer without an entry in that list is none. */
  readonly needs_entry?: true
  /** Counts that are zero are left out of the usage. */
  readonly omits_zeros?: true
  /** Whether a whole answer, or an event of a stream, has output other than text, such as an image; absent where none has. */
  hasOther?(answer: JsonObject): boolean
}

/** The verbs that translate: from and to the canonical form, whole and streamed. */
export interface Translator {
  /**
   * Reads a caller's request.
   * @param streams what the address asks for, where the body does not say
   * @throws GatewayError invalid_request for what is malformed or cannot be carried
   */
  decodeRequest(body: JsonObject, streams: boolean): ConversationRequest
  /** Writes the request for a provider. @throws GatewayError invalid_request for what this protocol has no place for */
  encodeRequest(request: ConversationRequest, target: TargetModel): JsonObject
  /** Reads a provider's whole answer. @param call_id the gateway's id of the call, from which missing ids are made */
  decodeAnswer(body: JsonObject, call_id: string): ConversationAnswer
  encodeAnswer(answer: ConversationAnswer, context: AnswerContext): JsonObject
  /** A reader for one provider's stream. @param call_id as for decodeAnswer */
  createStreamDecoder(call_id: string): StreamDecoder
  createStreamEncoder(context: AnswerContext): StreamEncoder
}

/** Where answers name their model: the keys that lead to the name. */
interface ModelPlaces {
  readonly answer: readonly string[]
  readonly event: readonly string[]
  /** Only one event of a stream names it. */
  readonly once?: boolean
}

/** The verbs of text calls on a caller's side: all that a protocol needs which no provider speaks. */
interface CallerText extends Pick<Translator, 'decodeRequest' | 'encodeAnswer' | 'createStreamEncoder'> {
  /** @throws GatewayError invalid_request for what cannot be priced or is plainly wrong */
  readRequest(body: JsonObject): RequestFacts
  /** A lower estimate of the prompt's tokens: above its model's context, the prompt cannot fit. */
  leastTokens(body: JsonObject): number
  /** The refusal of such a prompt, in the protocol's own words. */
  promptTooLong(tokens: number, context: number): GatewayError
  /** The names that decide the price, the model, a limit or the streaming of a request, and where they may stand. */
  readonly names: Names
  /** Where its requests hold media inline; absent where they are text alone. */
  readonly media?: MediaFields
  /** Fields of its requests in which a single object stands for a list of one. */
  readonly lists?: readonly string[]
  /** Fields that answers repeat, besides the names that every surface reads. */
  readonly echoed_fields?: readonly string[]
}

/** A protocol as far as callers speak it. */
export interface CallerProtocol {
  /** Lower-case letters, digits, `_` and `-`: the name that the catalogue uses, where providers speak it too. */
  readonly name: string
  /** An error as a record of a stream that has already started. */
  renderStreamError(error: GatewayError, request_id: string): string
  readonly text: CallerText
}

/** The verbs of text calls: to read, price and pass on this protocol's own bytes, and to translate them. */
export interface TextProtocol extends Translator, CallerText {
  /**
   * The request as a provider of this protocol is to get it; the very same object where nothing has to change.
   * @param call `forgets_reasoning`: without the encrypted reasoning that this provider could not read; `without_summary`:
   * no summary of the reasoning is requested; `server`: the known server that it goes to
   */
  prepare(
    body: JsonObject,
    call: NamedModel & {
      streams: boolean
      forgets_reasoning?: boolean | undefined
      without_summary?: boolean | undefined
      server?: string | undefined
    },
  ): JsonObject
  /** The request as the server takes it that it goes to; absent where all servers of the protocol are alike. */
  fit?(body: JsonObject, target: FitTarget): Fitted
  /** The names of tools that its providers take; absent where they take those of OpenAI's. */
  readonly tool_names?: NameRule
  /** Whether its providers take a piece of thinking; absent where that depends on the server. */
  takesThinking?(part: ThinkingPart | RedactedThinkingPart): boolean
  /** The lowest output limit that is taken: a lower one is raised to it by translation; absent where every limit is. */
  readonly min_output_tokens?: number
  limitOutput(body: JsonObject, max_output_tokens: number, target: NamedModel): JsonObject
  target(call: { model: string; streams: boolean }): UpstreamTarget
  /** The usage of a whole answer; undefined if it reports none (absent is not zero). */
  readUsage(answer: JsonObject): ReportedUsage | undefined
  /** The same answer, or event of a stream, with this usage in place of one that it has; the very same where it has none. */
  showUsage(body: JsonObject, usage: Usage): JsonObject
  /** Requests always have an output limit: where the caller set none, translation sends the model's. */
  readonly requires_limit?: boolean
  /** The output of a whole answer in estimated tokens, for an answer without usage. */
  estimateOutput(answer: JsonObject): number
  /** How to recognise an answer without output; absent where the gateway does not check. */
  readonly empty?: EmptyRules
  readonly stream: StreamRules
  /** Absent where the protocol's own clients need nothing that servers leave out. */
  readonly completing?: Completing
  readonly model_places: ModelPlaces
  /** Absent where providers of this protocol bill nothing but tokens, and remember nothing. */
  readonly extras?: ExtrasProtocol
}

/** A wire protocol: what is common to all its calls, and its verbs for each kind of model. */
export interface Protocol extends CallerProtocol, UnitProtocols {
  /** The header that shows a key to its providers, but for known servers that want another one. */
  readonly key_header: KeyHeader
  /** Servers of this protocol that people run themselves, over plain http, usually ask for no key. */
  readonly keyless_over_http?: boolean
  /** The probable mistake in the address of one of its servers, in words for the operator; undefined if none. */
  readonly baseUrlAdvice?: (base_url: URL) => string | undefined
  /** Which of them a provider is; undefined for all others. */
  readonly serverOf?: (provider: ProviderAddress) => string | undefined
  /** Whether a provider also speaks responses where the catalogue says nothing about it. */
  readonly speaksResponses?: (provider: ProviderAddress) => boolean
  /** The provider's list of models, which costs nothing to read: it tells whether the provider is there and takes the key. */
  readonly model_list?: UpstreamTarget
  /** Present where this is a further protocol of providers that have another one in the catalogue: whether one speaks it. */
  isSpokenBy?(provider: Provider): boolean
  /** The name of the protocol of the upstream request; absent where that is always this one. */
  readonly upstreamProtocolName?: (call: RoutedCall) => string
  /** The fields and pieces that translation carries to and from this protocol. */
  readonly carries: Carries
  /**
   * Reads an answer that refuses: the provider's status and body. Status 200 for an error that an answer, or an event of a
   * stream, reports under it.
   */
  readFailure(status: number, headers: Headers, body: string): UpstreamFailure
  /** An error in this protocol's shape, for a caller. */
  renderError(error: GatewayError, request_id: string): { status: number; body: JsonObject }
  readonly text: TextProtocol
  readonly images?: ImageProtocol
  readonly embeddings?: EmbeddingProtocol
}
