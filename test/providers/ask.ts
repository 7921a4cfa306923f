// The simulator's own form of requests and answers, independent of protocols. A dialect reads requests and writes answers.

/** A caller's request, as far as the answer depends on it. */
export interface Ask {
  /** All text of the input: system, turns, results of functions. */
  readonly prompt: string
  /** The last text of the user; the answer reuses its words. */
  readonly last_text: string
  /** Declarations of functions and similar, which count as input. */
  readonly declarations: string
  readonly images: number
  readonly audio_tokens: number
  readonly document_tokens: number
  /** The request refers to a cached content. */
  readonly uses_cache: boolean
  readonly seed: string
  /** Thinking included. */
  readonly max_output_tokens: number
  readonly stops: readonly string[]
  readonly candidate_count: number
  /** Limit of thinking in tokens; undefined: the model decides; 0: no thinking. */
  readonly thinking_budget: number | undefined
  readonly shows_thoughts: boolean
  readonly functions: readonly FunctionDeclaration[]
  readonly calling: 'auto' | 'any' | 'none'
  /** Several functions may be called in one turn. */
  readonly parallel: boolean
  /** Results of functions in the last turn. */
  readonly results: readonly { name: string; response: string }[]
  /** The number of turns with calls of functions since the user's last words. */
  readonly called_turns: number
  /** Set if the request wants JSON, with the schema if it has one. */
  readonly json: { readonly schema: unknown } | undefined
  /** Shape of a picture: a ratio such as `16:9`, or a size such as `512x512`. */
  readonly aspect_ratio: string
  /** Images of the prompt in base64, which a picture shows. */
  readonly references?: readonly string[]
  /** The number of partial images; 0 if absent. */
  readonly partial_images?: number
  /** The ends of the prompt's parts, in order. */
  readonly cache_points: readonly CachePoint[]
}

/** A place where a prompt can be split: the part before it may be in the cache. */
export interface CachePoint {
  /** Identifies all that is before it. */
  readonly prefix: string
  /** Tokens before it. */
  readonly tokens: number
  /** How long the cache keeps it; undefined if it is only looked up. */
  readonly keep: '5m' | '1h' | undefined
}

export interface FunctionDeclaration {
  readonly name: string
  readonly schema: unknown
}

export interface FunctionCall {
  readonly name: string
  readonly args: unknown
}

/** One of the answers to a prompt. */
export interface Candidate {
  /** Thinking, token by token, visible or not. */
  readonly thoughts: readonly string[]
  /** Text, token by token. */
  readonly text: readonly string[]
  readonly calls: readonly FunctionCall[]
  /** PNG files in base64. */
  readonly pictures: readonly string[]
  /** Their partial images, likewise. */
  readonly partials?: readonly string[]
  readonly finish: 'stop' | 'length' | 'safety'
  /** The caller's stop sequence at which the text ended. */
  readonly stopped_by?: string
}

/** Input tokens by kind. The cached and written tokens are also counted in the kinds. */
export interface PromptUsage {
  readonly text: number
  readonly image: number
  readonly audio: number
  readonly document: number
  readonly cached: number
  readonly written_5m: number
  readonly written_1h: number
}

/** A whole reply; without candidates, the prompt was blocked. */
export interface Reply {
  readonly prompt: PromptUsage
  readonly candidates: readonly Candidate[]
}
