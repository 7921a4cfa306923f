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

/** How much the model is to think; `auto` leaves that to the model. */
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

/** A request for pictures in the answer, with their shape; the model decides what is undefined. */
export interface ImageOutput {
  /** Such as `16:9`. */
  readonly aspect_ratio: string | undefined
  /** `1K`, `2K` or `4K`. */
  readonly size: string | undefined
  /** Whether text may come beside them. */
  readonly with_text: boolean
  /** The place of the size in the caller's request, for a refusal to name. */
  readonly size_at: string
}

/** Each field is undefined, or empty, where the caller did not set it. */
export interface RequestFields {
  readonly system: readonly string[]
  readonly max_output_tokens: number | undefined
  readonly temperature: number | undefined
  readonly top_p: number | undefined
  readonly top_k: number | undefined
  readonly stop: readonly string[]
  readonly seed: number | undefined
  /** How many candidates to write for the one prompt. */
  readonly candidates: number | undefined
  readonly thinking: Thinking | undefined
  readonly output: OutputFormat | undefined
  /** False where the request says that it wants none; undefined if it does not say. */
  readonly images: ImageOutput | false | undefined
  readonly tools: readonly ToolDefinition[]
  readonly tool_choice: ToolChoice | undefined
  readonly parallel_tool_calls: boolean | undefined
  /** How many alternatives to report for each token, 0 for only the chosen one; undefined if no log probabilities are wanted. */
  readonly logprobs: number | undefined
  readonly frequency_penalty: number | undefined
  readonly presence_penalty: number | undefined
  /** How wordy the answer is to be: `low`, `medium` or `high`. */
  readonly verbosity: string | undefined
  /** The caller's own opaque id of the end user. */
  readonly user: string | undefined
  /** Shared by requests that begin alike: the provider sends them to the same prompt cache. */
  readonly cache_key: string | undefined
}
