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
  /** What functions returned in the last turn. */
  readonly results: readonly { name: string; response: string }[]
  /** JSON is asked for; its schema, where there is one. */
  readonly json: { readonly schema: unknown } | undefined
  /** Width to height of a picture. */
  readonly aspect_ratio: string
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
}

/** Tokens of a call, by what they were. `cached` is a part of `text`. */
export interface PromptUsage {
  readonly text: number
  readonly image: number
  readonly audio: number
  readonly document: number
  readonly cached: number
}

/** A whole reply. No answers means that the prompt was blocked. */
export interface Reply {
  readonly prompt: PromptUsage
  readonly answers: readonly Answer[]
}
