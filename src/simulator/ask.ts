// Owns the questions and answers of the simulated vendor in a form that no protocol owns: a dialect reads one and writes the other.

/** What a caller asks, as far as the answer depends on it. */
export interface Ask {
  /** All text that is read: system, turns, results of functions. */
  readonly prompt: string
  /** What the user said last: the answer takes up its words. */
  readonly last_text: string
  /** Declarations of functions and the like, read but not answered. */
  readonly declarations: string
  readonly images: number
  readonly audio_tokens: number
  readonly document_tokens: number
  /** The caller refers to a cached content. */
  readonly uses_cache: boolean
  readonly seed: string
  /** Thinking included. */
  readonly max_output_tokens: number
  readonly stops: readonly string[]
  readonly answers: number
  /** Tokens to think at most; undefined where the model decides, 0 for not at all. */
  readonly thinking_budget: number | undefined
  readonly shows_thoughts: boolean
  readonly functions: readonly FunctionDeclaration[]
  readonly calling: 'auto' | 'any' | 'none'
  /** Several functions may be called at once. */
  readonly parallel: boolean
  /** What functions returned in the last turn. */
  readonly results: readonly { name: string; response: string }[]
  /** JSON is asked for; its schema, where there is one. */
  readonly json: { readonly schema: unknown } | undefined
  /** Width to height of a picture, such as `16:9`, or its size, such as `512x512`. */
  readonly aspect_ratio: string
  /** Images in the prompt, in base64, which a picture shows. */
  readonly references?: readonly string[]
  /** Ends of the parts of the prompt, the first one first. */
  readonly cache_points: readonly CachePoint[]
}

/** Where a prompt can be cut: what is before it may be known from earlier. */
export interface CachePoint {
  /** Names all that is before it. */
  readonly prefix: string
  /** Before it, all in all. */
  readonly tokens: number
  /** It is to be remembered for so long; undefined where it is only looked for. */
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

export interface Answer {
  /** Tokens that were thought, whether they are shown or not. */
  readonly thoughts: readonly string[]
  /** Tokens that were written. */
  readonly text: readonly string[]
  readonly calls: readonly FunctionCall[]
  /** PNG files in base64. */
  readonly pictures: readonly string[]
  readonly finish: 'stop' | 'length' | 'safety'
  /** The caller's stop sequence that was about to be written. */
  readonly stopped_by?: string
}

/** Tokens of a call, by what they were. What was `cached` and written to a cache is a part of the others. */
export interface PromptUsage {
  readonly text: number
  readonly image: number
  readonly audio: number
  readonly document: number
  readonly cached: number
  readonly written_5m: number
  readonly written_1h: number
}

/** A whole reply. No answers means that the prompt was blocked. */
export interface Reply {
  readonly prompt: PromptUsage
  readonly answers: readonly Answer[]
}
