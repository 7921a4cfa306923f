// The data that a protocol passes to the rest of the gateway: facts of a request, its upstream target, and a provider's failure.

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
  /** An estimate of all that the model reads for the request. It is charged if the provider reports no usage. */
  input_tokens: number
  /** The most tokens that a provider can count for the request without its media, unknown fields included. They are held. */
  input_bound_tokens: number
  /** The media of the request; the model decides how many tokens they can be. Absent without any. */
  media?: readonly Medium[]
  /** The output limit that the caller set; undefined if they set none. */
  max_output_tokens: number | undefined
  /** The number of requested candidates; each may be as long as the limit. */
  candidates: number
  /** The usage fields that the input may be billed under, if not all are possible. The quote then holds only the highest of their prices. */
  input_fields?: readonly InputField[]
  /** Whether the caller offers tools, or sets stop sequences: for some models not every endpoint accepts them. */
  offers_tools?: boolean
  stops?: boolean
  /** The reasoning effort, in the words of chat completions. */
  effort?: string | undefined
  /** The provider runs tools that are not extras, and the model reads their results: the usage may exceed the model's limits. */
  runs_tools?: boolean
  /** The field, as the caller wrote it, that refers to content cached at the provider; undefined without one. */
  cached_content?: string | undefined
  /** The requested service tier; undefined for the standard one. */
  service_tier?: RequestedTier | undefined
  /** References to responses that the gateway keeps: the response to continue, and single items. */
  refers_to?: { previous: string | undefined; items: readonly string[] } | undefined
  /** The request asks for a compaction: a summary of its conversation. */
  compacts?: boolean
  /** The conversation is empty. Only a request that prepares later ones may have an empty one. Absent otherwise. */
  lacks_conversation?: boolean
  /** Tools that items of a responses request add to its `tools` field; absent if none exist. */
  added_tools?: readonly JsonObject[]
  /** The mark of the key that issued the reasoning in the request; only providers with that key can read it. */
  issuer?: string | undefined
}

/** The path and headers of a request to a provider of this protocol. */
export interface UpstreamTarget {
  /** Path and query, appended to the provider's base_url. */
  path: string
  /** Without the header that carries the key. */
  headers: Record<string, string>
  /** Whether the request is for a stream: some servers have another path for streams. */
  streams?: boolean
}

/** The error code of a prompt that is too long for its model. OpenAI's clients look for it, whichever provider refused. */
export const CONTEXT_LENGTH_EXCEEDED = 'context_length_exceeded'

/** The figures of an error about a too long prompt, in tokens. */
export interface TooLongFigures {
  tokens?: number | undefined
  context?: number | undefined
}

/** A provider's failure, and its consequences for the call, its route and its key. */
export interface UpstreamFailure {
  failure_class: FailureClass
  /** The provider's own message. It may still contain addresses and secrets. */
  message: string
  retry_after_s: number | undefined
  /** The encrypted reasoning in the request was issued elsewhere. The provider may serve the request without it. */
  cannot_read_reasoning?: boolean
  /** Thinking in the request belongs to another conversation, model or account. The provider may serve the request without it. */
  refuses_thinking?: boolean
  /** The provider gives this organisation no summaries of reasoning. It may serve the request without one. */
  refuses_summary?: boolean
  /** Status 401: the gateway may try another token, if the key is exchanged for tokens. */
  is_unauthorized?: boolean
  /** An answer without output. The caller may have caused it, so it puts no key into cooldown. */
  is_silent?: boolean
  /** The error code for surfaces that have one for this refusal. */
  code?: string | undefined
  /** The usage of an answer that failed under status 200. */
  usage?: ReportedUsage | undefined
  /** The prompt is too long for this route, with the figures that the provider reported. */
  too_long?: TooLongFigures
}
