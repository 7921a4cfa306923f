// The verbs of embedding, for protocols that have embeddings.

import type { ReportedUsage } from '../domain/usage.ts'
import type { UpstreamTarget } from './facts.ts'
import type { Json, JsonObject } from './wire/json.ts'

/** A request for embeddings. */
export interface EmbeddingRequest {
  /** The caller's own body, checked. */
  body: JsonObject
  /** One or more texts; undefined if tokens came instead, which only their own model's protocol can carry. */
  texts: readonly string[] | undefined
  /** How many vectors are due. */
  count: number
  /** Exact where tokens came, else an estimate. */
  input_tokens: number
  dimensions: number | undefined
  /** The requests as a caller of the native protocol wrote them, without their model; undefined for other callers. */
  native?: readonly JsonObject[]
  /** The inputs are to have different dimensions, which only the native protocol can carry. */
  has_mixed_dimensions?: boolean
  encoding_format: 'float' | 'base64'
}

/** The vectors that came back. */
export interface Embedded {
  /** Undefined where the provider reported none. */
  usage: ReportedUsage | undefined
  /** One for each input; undefined if the provider speaks the caller's protocol, and the caller gets its bytes as they are. */
  vectors: readonly (readonly number[])[] | undefined
}

export interface EmbeddingProtocol {
  target(call: { model: string }): UpstreamTarget
  /** @throws GatewayError invalid_request naming what the protocol cannot carry */
  encode(request: EmbeddingRequest, model: string): JsonObject
  /** @throws Error for anything but one vector for each input */
  decode(answer: Json, request: EmbeddingRequest): Embedded
}
