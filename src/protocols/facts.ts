// The facts that a protocol reports to the rest of the gateway: of a request, its target, and a refusal; and the call that it serves.

import type { Endpoint, Provider } from '../domain/catalogue.ts'
import type { Medium } from '../domain/media/medium.ts'
import type { RequestedTier } from '../domain/service-tiers.ts'
import type { InputField, ReportedUsage } from '../domain/usage.ts'
import type { NamedModel } from './canonical/request.ts'
import type { FailureClass } from './failure-class.ts'
import type { JsonObject } from './wire/json.ts'

/** The parts of a route that decide the protocol of the upstream request. */
export interface ProtocolRoute extends NamedModel {
  readonly provider: Provider
  readonly endpoint?: Endpoint | undefined
}

/** A call to send on a route. */
export interface RoutedCall extends ProtocolRoute {
  /** The name of the caller's protocol. */
  readonly caller: string
  readonly facts: RequestFacts
}

/** The facts of a request that a quote needs, in any protocol. */
export interface RequestFacts {
  /** An estimate of everything that the request makes the model read: the charge where its provider reports nothing. */
  input_tokens: number
  /** The most that a provider can count of all of the request but its media, unknown fields included: the amount held. */
  input_bound_tokens: number
  /** The media of the request; their most tokens depend on the model. Absent without any. */
  media?: readonly Medium[]
  /** The output limit that the caller set; undefined if they set none. */
  max_output_tokens: number | undefined
  /** How many candidates the caller requested; each may be as long as the limit. */
  candidates: number
  /** The ways in which the input may be billed, where not all are possible: the quote then holds no more than they cost. */
  input_fields?: readonly InputField[]
  /** Callers' tools are offered, stop sequences set: of some models not every endpoint takes them. */
  offers_tools?: boolean
  stops?: boolean
  /** The reasoning effort, as a caller of chat completions names it. */
  effort?: string | undefined
  /** Tools that are no extras run at the provider, and the model reads their results: its usage may be larger than its limits. */
  runs_tools?: boolean
  /** The field that refers to content which only the provider has, as the caller wrote it; undefined without one. */
  cached_content?: string | undefined
  /** The service tier that the request asks for; undefined for the standard one. */
  service_tier?: RequestedTier | undefined
  /** References of the request to what the gateway keeps: the response that it continues, and single items. */
  refers_to?: { previous: string | undefined; items: readonly string[] } | undefined
  /** The request asks for its conversation to be summed up. */
  compacts?: boolean
  /** The conversation is empty, which only a request that is prepared for later ones may have; absent otherwise. */
  lacks_conversation?: boolean
  /** Tools that items of a responses request add to those of its field; absent where none does. */
  added_tools?: readonly JsonObject[]
  /** The mark of the key that issued the reasoning which the request sends back; it can be read there only. */
  issuer?: string | undefined
}

/** Where and how a request goes to a provider of this protocol. */
export interface UpstreamTarget {
  /** Path and query, appended to the provider's base_url. */
  path: string
  /** Besides the one that shows the key. */
  headers: Record<string, string>
  /** Whether the request is for a stream, where some servers have another path for that. */
  streams?: boolean
}

/** The code of a prompt that is too long for its model: OpenAI's clients look for it, whichever provider refused. */
export const CONTEXT_LENGTH_EXCEEDED = 'context_length_exceeded'

/** The figures in the refusal of a prompt that is too long, in tokens. */
export interface TooLong {
  tokens?: number | undefined
  context?: number | undefined
}

/** The meaning of a provider's refusal for this call, its route and its key. */
export interface UpstreamFailure {
  failure_class: FailureClass
  /** The provider's own words, with addresses and secrets still in them. */
  message: string
  retry_after_s: number | undefined
  /** The encrypted reasoning that was sent back was issued elsewhere: without it the request may be served. */
  cannot_read_reasoning?: boolean
  /** Thinking that was sent back belongs to another conversation, model or account: without it the request may be served. */
  refuses_thinking?: boolean
  /** This organisation gets no summaries of reasoning: without one the request may be served. */
  refuses_summary?: boolean
  /** Status 401: another token may be taken, where one stands for the key. */
  is_unauthorized?: boolean
  /** An answer without a word, which its caller may have brought about: it tells nothing about other calls with the same key. */
  is_silent?: boolean
  /** The meaning of the refusal, where a surface has a code for it. */
  code?: string | undefined
  /** The reported usage of an answer that failed under status 200. */
  usage?: ReportedUsage | undefined
  /** The prompt is too long for this route: the numbers of the refusal, as far as it tells them. */
  too_long?: TooLong
}
