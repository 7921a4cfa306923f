// The embedding functions of protocols that have embeddings.

import type { ReportedUsage } from '../domain/usage.ts'
import type { UpstreamTarget } from './facts.ts'
import type { Json, JsonObject } from './wire/json.ts'

export interface EmbeddingRequest {
  /** The caller's own body, checked. */
  body: JsonObject
  /** One or more texts; undefined if the caller sent tokens, which only their own model's protocol accepts. */
  texts: readonly string[] | undefined
  /** The number of expected vectors. */
  count: number
  /** Exact if the caller sent tokens, else an estimate. */
  input_tokens: number
  dimensions: number | undefined
  /** The requests of a native caller, without their model; undefined for other callers. */
  native?: readonly JsonObject[]
  /** The inputs need different dimensions, which only the native protocol can express. */
  has_mixed_dimensions?: boolean
  encoding_format: 'float' | 'base64'
}

export interface Embedded {
  /** Undefined if the provider reported none. */
  usage: ReportedUsage | undefined
  /** One for each input; undefined if provider and caller speak the same protocol, so that the caller gets the provider's bytes. */
  vectors: readonly (readonly number[])[] | undefined
}

export interface EmbeddingProtocol {
  target(call: { model: string }): UpstreamTarget
  /** @throws GatewayError invalid_request that names the field which the protocol cannot express */
  encode(request: EmbeddingRequest, model: string): JsonObject
  /** @throws Error unless the answer has one vector for each input */
  decode(answer: Json, request: EmbeddingRequest): Embedded
}
