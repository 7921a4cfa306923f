// The interface of a wire protocol. Each protocol is a folder of pure functions, gathered in its index.ts.

import type { Provider } from '../domain/catalogue.ts'
import type { GatewayError } from '../domain/errors.ts'
import type { KeyHeader } from '../domain/servers/known-server.ts'
import type { ProviderAddress } from '../domain/servers/lookup.ts'
import type { ReportedUsage, Usage } from '../domain/usage.ts'
import type { AnswerContext, ConversationAnswer, StreamDecoder, StreamEncoder } from './canonical/answer.ts'
import type { RedactedThinkingPart, ThinkingPart } from './canonical/parts.ts'
import type { ConversationRequest, NamedModel, TargetModel } from './canonical/request.ts'
import type { Carries } from './carries.ts'
import type { Completer } from './completing.ts'
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
 * Reads one stream while it passes through. It must cost next to nothing for each event: `read` only searches bytes and decodes
 * what it keeps on demand. Providers repeat their usage in every event; only the last one counts.
 */
export interface StreamReading {
  /** Takes the next event. @param data one event's whole payload after `data:`, as a byte string */
  read(data: ByteString): void
  /** The stream reported that its answer is complete. Events may still follow; the last usage among them counts. */
  readonly finished: boolean
  /** The upstream reported an error inside the stream. */
  readonly failed: boolean
  /**
   * The last reported usage; undefined if the stream reported none. If the stream broke before it was `finished`, the reported
   * output may be less than the delivered one, because some providers report output only at the end.
   */
  usage(): ReportedUsage | undefined
  /**
   * All delivered output in estimated tokens, charged if the stream ends without reporting its usage. Includes output of unknown
   * kinds; counts output once, even if events repeat it.
   */
  deliveredTokens(): number
}

/** Opens the reader of a stream of this protocol. */
export interface StreamRules {
  open(): StreamReading
}

/** How to recognise an answer without output. */
export interface EmptyRules {
  /** The field of the list that every answer has. */
  readonly answers_in: string
  /** An answer counts as empty if that list has no entry. */
  readonly needs_entry?: true
  /** The usage leaves out counts of zero. */
  readonly omits_zeros?: true
  /** Whether a whole answer, or an event of a stream, has output other than text, such as an image. Absent if the protocol has no such output. */
  hasOther?(answer: JsonObject): boolean
}

/** Translation from and to the canonical form, whole and streamed. */
export interface Translator {
  /**
   * Reads a caller's request.
   * @param streams whether the address requests a stream, for protocols that have no field for it
   * @throws GatewayError invalid_request for a malformed request, or one that the gateway cannot translate
   */
  decodeRequest(body: JsonObject, streams: boolean): ConversationRequest
  /** Writes the request for a provider. @throws GatewayError invalid_request for content that this protocol cannot express */
  encodeRequest(request: ConversationRequest, target: TargetModel): JsonObject
  /** Reads a provider's whole answer. @param call_id the gateway's id of the call; missing ids are generated from it */
  decodeAnswer(body: JsonObject, call_id: string): ConversationAnswer
  encodeAnswer(answer: ConversationAnswer, context: AnswerContext): JsonObject
  /** A reader for one provider's stream. @param call_id as for decodeAnswer */
  createStreamDecoder(call_id: string): StreamDecoder
  createStreamEncoder(context: AnswerContext): StreamEncoder
}

/** The keys that lead to the model's name in an answer. */
interface ModelPlaces {
  readonly answer: readonly string[]
  readonly event: readonly string[]
  /** Only one event of a stream has the name. */
  readonly once?: boolean
}

/** The text calls of a caller's protocol: everything that a protocol needs that no provider speaks. */
interface CallerText extends Pick<Translator, 'decodeRequest' | 'encodeAnswer' | 'createStreamEncoder'> {
  /** @throws GatewayError invalid_request for a request that cannot be priced, or is plainly wrong */
  readRequest(body: JsonObject): RequestFacts
  /** A lower bound of the prompt's tokens. If it exceeds the model's context, the prompt cannot fit. */
  leastTokens(body: JsonObject): number
  /** The error for such a prompt, worded as the protocol's own providers word it. */
  promptTooLong(tokens: number, context: number): GatewayError
  /** The names of fields that decide the price, the model, a limit or the streaming of a request, and where they may stand. */
  readonly names: Names
  /** The places of inline media in a request; absent if its requests are text alone. */
  readonly media?: MediaFields
  /** Fields of its requests in which a single object stands for a list of one. */
  readonly lists?: readonly string[]
  /** Fields that answers repeat from the request, besides those that every surface reads. */
  readonly echoed_fields?: readonly string[]
}

/** The caller's side of a protocol. */
export interface CallerProtocol {
  /** Lower-case letters, digits, `_` and `-`. Also the name in the catalogue, if providers speak the protocol. */
  readonly name: string
  /** An error as a record of a stream that has already started. */
  renderStreamError(error: GatewayError, request_id: string): string
  readonly text: CallerText
}

/** The text calls of a provider's protocol: reads, prices, passes on and translates its bodies. */
export interface TextProtocol extends Translator, CallerText {
  /**
   * Returns the request for a provider of this protocol: the same object if nothing has to change.
   * @param call `forgets_reasoning`: leaves out encrypted reasoning that this provider could not read; `without_summary`: requests
   * no summary of the reasoning; `server`: the known server that the request goes to
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
  /** Adapts the request to its server; absent if all servers of the protocol are alike. */
  fit?(body: JsonObject, target: FitTarget): Fitted
  /** The tool names that its providers accept; absent if they accept the same as OpenAI's. */
  readonly tool_names?: NameRule
  /** Whether its providers accept a piece of thinking; absent if that depends on the server. */
  takesThinking?(part: ThinkingPart | RedactedThinkingPart): boolean
  /** The lowest accepted output limit, to which translation raises lower ones; absent if providers accept every limit. */
  readonly min_output_tokens?: number
  limitOutput(body: JsonObject, max_output_tokens: number, target: NamedModel): JsonObject
  target(call: { model: string; streams: boolean }): UpstreamTarget
  /** The usage of a whole answer; undefined if it reports none, which is not the same as zero. */
  readUsage(answer: JsonObject): ReportedUsage | undefined
  /** Replaces the usage in an answer or an event of a stream. Returns the same object if it has none. */
  showUsage(body: JsonObject, usage: Usage): JsonObject
  /** Requests must have an output limit: translation sends the model's if the caller set none. */
  readonly requires_limit?: boolean
  /** The output of a whole answer in estimated tokens, for an answer that reports no usage. */
  estimateOutput(answer: JsonObject): number
  /** How to recognise an answer without output; absent if the gateway does not check. */
  readonly empty?: EmptyRules
  readonly stream: StreamRules
  /** Fills in fields that servers leave out, and refuses calls without a name; absent if the protocol's own clients need neither. */
  readonly completing?: Completer
  readonly model_places: ModelPlaces
  /** Absent if providers of this protocol bill only tokens, and store nothing. */
  readonly extras?: ExtrasProtocol
}

/** A wire protocol: its shared parts, and its functions for each kind of model. */
export interface Protocol extends CallerProtocol, UnitProtocols {
  /** The header that carries the key, except for known servers that need another one. */
  readonly key_header: KeyHeader
  /** Self-hosted servers of this protocol, reached over plain http, usually need no key. */
  readonly keyless_over_http?: boolean
  /** The probable mistake in a server's address, worded for the operator; undefined if none. */
  readonly baseUrlAdvice?: (base_url: URL) => string | undefined
  /** The name of the known server that a provider is; undefined for all others. */
  readonly serverOf?: (provider: ProviderAddress) => string | undefined
  /** Whether a provider also speaks the responses protocol, if the catalogue does not say. */
  readonly speaksResponses?: (provider: ProviderAddress) => boolean
  /** The provider's list of models. It is free to read, and shows whether the provider is reachable and accepts the key. */
  readonly model_list?: UpstreamTarget
  /** Whether a provider of another protocol in the catalogue also speaks this one. Present only for such additional protocols. */
  isSpokenBy?(provider: Provider): boolean
  /** The name of the protocol of the upstream request; absent if that is always this one. */
  readonly upstreamProtocolName?: (call: RoutedCall) => string
  /** The fields and pieces that translation carries to and from this protocol. */
  readonly carries: Carries
  /**
   * Reads a refusal from the provider's status and body. Status 200 stands for an error that an answer, or an event of a stream,
   * reports under that status.
   */
  readFailure(status: number, headers: Headers, body: string): UpstreamFailure
  /** Writes an error in this protocol's format for a caller. */
  renderError(error: GatewayError, request_id: string): { status: number; body: JsonObject }
  readonly text: TextProtocol
  readonly images?: ImageProtocol
  readonly embeddings?: EmbeddingProtocol
}
