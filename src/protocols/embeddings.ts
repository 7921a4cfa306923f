// Owns the verbs of embedding that the wire protocols share; a protocol without embeddings has none of them.

import type { Usage } from '../domain/usage.ts'
import type { UpstreamTarget } from './facts.ts'
import type { Json, JsonObject } from './wire/json.ts'

/** What is asked to be embedded. */
export interface EmbeddingRequest {
  /** The caller's own body, checked. */
  body: JsonObject
  /** One or more texts; undefined where tokens came instead, which only their own model's protocol can carry. */
  texts: readonly string[] | undefined
  /** Vectors that are due. */
  count: number
  /** Exact where tokens came, else an estimate. */
  input_tokens: number
  dimensions: number | undefined
  encoding_format: 'float' | 'base64'
}

/** What came back. */
export interface Embedded {
  /** Undefined where the upstream told none. */
  usage: Usage | undefined
  /** One for each input; undefined where the upstream speaks as its caller does, who then gets its very bytes. */
  vectors: readonly (readonly number[])[] | undefined
}

export interface EmbeddingProtocol {
  target(call: { model: string; api_key: string }): UpstreamTarget
  /** @throws GatewayError invalid_request naming what the protocol cannot carry */
  encode(request: EmbeddingRequest, model: string): JsonObject
  /** @throws Error for what is not one vector for each input */
  decode(answer: Json, request: EmbeddingRequest): Embedded
}
