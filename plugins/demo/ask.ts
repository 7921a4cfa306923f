// The demo provider's own form of requests and answers, independent of protocols.
import type { Json } from '../../src/protocols/wire/json.ts'

/** The parts of a request that determine its answer. */
export interface Ask {
  readonly model: string
  /** All text of the input: system prompt, turns, tool calls and tool results. */
  readonly prompt: string
  /** The user's last text: the answer uses its words. */
  readonly last_text: string
  /** Image files in base64. */
  readonly images: readonly string[]
  /** Tokens of audio and documents. */
  readonly media_tokens: number
  readonly tools: readonly Tool[]
  readonly calling: 'auto' | 'any' | 'none'
  /** Tool results in the last turn. */
  readonly results: readonly string[]
  /** Present if the caller requests JSON. */
  readonly json?: { readonly schema: Json | undefined } | undefined
  readonly max_tokens: number
  readonly stops: readonly string[]
  /** Number of pictures to generate. Default: 1. */
  readonly count?: number
  /** The shape of a picture: a ratio such as `16:9`, or a size such as `512x512`. */
  readonly shape: string
  /** Number of coarse versions to send before a picture. */
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
  /** A hash of the request, so equal requests have equal ids. */
  readonly id: string
  /** The tokens of the text. */
  readonly text: readonly string[]
  readonly calls: readonly ToolCall[]
  /** PNG files in base64. */
  readonly pictures: readonly string[]
  /** Coarse versions of the pictures, in the same format. */
  readonly partials: readonly string[]
  readonly finish: 'stop' | 'length'
  /** The stop sequence at which the text ended. */
  readonly stopped_by?: string
  /** Tokens as a provider would bill them. `images` is part of `input`, `pictures` part of `output`. */
  readonly usage: {
    readonly input: number
    readonly images: number
    readonly output: number
    readonly pictures: number
  }
}

/** The refusal of a request, with the provider's status and message. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly field?: string,
  ) {
    super(message)
  }
}
