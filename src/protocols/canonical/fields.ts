// The fields of a request in the canonical form, apart from its conversation.
import type { JsonObject } from '../wire/json.ts'
import type { CacheTtl } from './parts.ts'

export interface ToolDefinition {
  readonly name: string
  readonly description: string | undefined
  /** JSON Schema of the arguments; undefined if the tool takes none. */
  readonly parameters: JsonObject | undefined
  readonly strict: boolean | undefined
  /** Its place in the caller's request. */
  readonly at: string
  /** The mark of the prompt cache after it. */
  readonly cache?: CacheTtl | undefined
}

/** `named` allows only these tools; `required` says whether one of them must be called. */
export type ToolChoice =
  | { readonly mode: 'auto' | 'any' | 'none' }
  | { readonly mode: 'named'; readonly names: readonly string[]; readonly required: boolean }

export type Effort = 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** The amount of thinking; `auto` leaves it to the model. */
export type Thinking =
  | { readonly mode: 'off' }
  | { readonly mode: 'auto' }
  | { readonly mode: 'budget'; readonly budget_tokens: number }
  | { readonly mode: 'effort'; readonly effort: Effort }

/** The required form of the answer's text: any JSON, or JSON that follows a schema. */
export type OutputFormat =
  | { readonly kind: 'json' }
  | {
      readonly kind: 'json_schema'
      readonly name: string
      readonly schema: JsonObject
      readonly strict: boolean | undefined
    }

/** A request for images in the answer; the model decides the undefined fields. */
export interface ImageOutput {
  /** Such as `16:9`. */
  readonly aspect_ratio: string | undefined
  /** `1K`, `2K` or `4K`. */
  readonly size: string | undefined
  /** Whether the answer may contain text beside images. */
  readonly with_text: boolean
  /** The place of the size in the caller's request, for error messages. */
  readonly size_at: string
}

/** Each field is undefined, or empty, if the caller did not set it. */
export interface RequestFields {
  readonly system: readonly string[]
  readonly max_output_tokens: number | undefined
  readonly temperature: number | undefined
  readonly top_p: number | undefined
  readonly top_k: number | undefined
  readonly stop: readonly string[]
  readonly seed: number | undefined
  /** The number of candidates to generate. */
  readonly candidates: number | undefined
  readonly thinking: Thinking | undefined
  readonly output: OutputFormat | undefined
  /** False if the request asks for none; undefined if it does not say. */
  readonly images: ImageOutput | false | undefined
  readonly tools: readonly ToolDefinition[]
  readonly tool_choice: ToolChoice | undefined
  readonly parallel_tool_calls: boolean | undefined
  /** The number of alternatives to report for each token, 0 for only the chosen one; undefined if no log probabilities are wanted. */
  readonly logprobs: number | undefined
  readonly frequency_penalty: number | undefined
  readonly presence_penalty: number | undefined
  /** The verbosity of the answer: `low`, `medium` or `high`. */
  readonly verbosity: string | undefined
  /** The caller's opaque id of the end user. */
  readonly user: string | undefined
  /** Requests with the same beginning share it: the provider sends them to the same prompt cache. */
  readonly cache_key: string | undefined
}
