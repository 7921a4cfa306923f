// Owns the verbs that every wire protocol has. A protocol is a folder of pure functions, gathered in its index.ts.
import type { ByteString } from './wire/byte-string.ts'
import type { GatewayError } from '../domain/errors.ts'
import type { InputField, Usage } from '../domain/usage.ts'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: Json }

/** What a quote needs to know of a request, whatever its protocol. */
export interface RequestFacts {
  /** An estimate of all that the request makes the model read. */
  input_tokens: number
  /** The output limit that the caller set; undefined where he set none. */
  max_output_tokens: number | undefined
  /** How many answers he asked for; each may be as long as the limit. */
  answers: number
  /** How the input may be billed, where less than every way is possible: a quote then holds no more than that. */
  input_fields?: readonly InputField[]
}

/** Where and how a request goes to a provider of this protocol. */
export interface UpstreamTarget {
  /** Path and query, appended to the provider's base_url. */
  path: string
  headers: Record<string, string>
}

/** What a provider's refusal means for this call, and for the route and key that it came through. */
export interface UpstreamFailure {
  /**
   * `request`: the caller's doing, no other route would help. `busy`: limits of this key or overload, others may serve.
   * `key`: the provider refuses this key. `broken`: anything else that is not the caller's doing.
   */
  blame: 'request' | 'busy' | 'key' | 'broken'
  /** The provider's own words, not yet cleaned of addresses and secrets. */
  message: string
  retry_after_s: number | undefined
  /** What the refusal means, where a surface has a code for it. */
  code?: string | undefined
}

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

export interface Protocol {
  readonly name: 'gemini' | 'anthropic' | 'openai'
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
  /** A whole answer that refuses: the provider's status and body, understood. */
  readFailure(status: number, headers: Headers, body: string): UpstreamFailure
  /** An error in this protocol's shape, for a caller. */
  renderError(error: GatewayError, request_id: string): { status: number; body: JsonObject }
  /** The same as a record of a stream that has already begun. */
  renderStreamError(error: GatewayError, request_id: string): string
}
