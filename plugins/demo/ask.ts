// Questions and answers of the demo provider in a form of no protocol.
import type { Json } from '../../src/protocols/wire/json.ts'

/** The part of a request that its answer depends on. */
export interface Ask {
  readonly model: string
  /** All text of the input: system, turns, calls and results of tools. */
  readonly prompt: string
  /** The user's last text: the answer uses its words. */
  readonly last_text: string
  /** In base64. */
  readonly images: readonly string[]
  /** Tokens of audio and documents. */
  readonly media_tokens: number
  readonly tools: readonly Tool[]
  readonly calling: 'auto' | 'any' | 'none'
  /** Results of tools in the last turn. */
  readonly results: readonly string[]
  /** Set where JSON is wanted, with its schema if there is one. */
  readonly json?: { readonly schema: Json | undefined } | undefined
  readonly max_tokens: number
  readonly stops: readonly string[]
  /** Pictures to generate; one where absent. */
  readonly count?: number
  /** The shape of a picture: a ratio such as `16:9`, or a size such as `512x512`. */
  readonly shape: string
  /** Coarse versions of a picture before it is done. */
  readonly partials?: number
}

export interface Tool {
  readonly name: string
  readonly schema: Json | undefined
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  readonly args: Json
}

export interface Answer {
  /** The same for the same question. */
  readonly id: string
  /** Token by token. */
  readonly text: readonly string[]
  readonly calls: readonly ToolCall[]
  /** PNG files in base64. */
  readonly pictures: readonly string[]
  /** The same before they were done. */
  readonly partials: readonly string[]
  readonly finish: 'stop' | 'length'
  /** The stop sequence at which the text ended. */
  readonly stopped_by?: string
  /** In tokens, as a provider would bill them: of the input, its images; of the output, its pictures. */
  readonly usage: {
    readonly input: number
    readonly images: number
    readonly output: number
    readonly pictures: number
  }
}

/** A request that is refused, in the words of the provider. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly field?: string,
  ) {
    super(message)
  }
}
