// Owns what a call consumed, split so that every token is counted once and by the rate that prices it.

/** Tokens of one call. The fields are disjoint: their sum is all that was consumed. */
export interface Usage {
  /** Text and images read, not from a cache. */
  input_tokens: number
  /** Audio read, not from a cache. */
  input_audio_tokens: number
  cache_read_tokens: number
  cache_write_5m_tokens: number
  cache_write_1h_tokens: number
  /** Visible output; thinking is not in it. */
  output_tokens: number
  thinking_tokens: number
  output_image_tokens: number
}

export type UsageField = keyof Usage

export const NO_USAGE: Readonly<Usage> = Object.freeze({
  input_tokens: 0,
  input_audio_tokens: 0,
  cache_read_tokens: 0,
  cache_write_5m_tokens: 0,
  cache_write_1h_tokens: 0,
  output_tokens: 0,
  thinking_tokens: 0,
  output_image_tokens: 0,
})

export const USAGE_FIELDS = Object.keys(NO_USAGE) as UsageField[]

/** The ways in which what a model reads may be billed. */
export const INPUT_FIELDS = [
  'input_tokens',
  'input_audio_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
] as const satisfies UsageField[]

export type InputField = (typeof INPUT_FIELDS)[number]

/** The prompt's size in tokens, which chooses the price's tier: all that was read, cached or not. */
export function promptTokens(usage: Usage): number {
  return (
    usage.input_tokens +
    usage.input_audio_tokens +
    usage.cache_read_tokens +
    usage.cache_write_5m_tokens +
    usage.cache_write_1h_tokens
  )
}

/** All that was made: visible, thought and drawn. */
export function outputTokens(usage: Usage): number {
  return usage.output_tokens + usage.thinking_tokens + usage.output_image_tokens
}

/** What a call is charged for, and shown where its answer is translated. */
export interface Billed {
  usage: Usage
  /** The upstream did not report it, or not all of it. */
  estimated: boolean
}

/** No call has so many tokens: a usage beyond is nonsense, and its price may be more than can be counted. */
const MAX_TOKENS = 2 ** 31

/** The usage that is billed: as reported, where that is credible; else the estimate. */
export function billedUsage(reported: Usage | undefined, estimate: () => Usage): Billed {
  return reported && totalTokens(reported) <= MAX_TOKENS
    ? { usage: reported, estimated: false }
    : { usage: estimate(), estimated: true }
}

/** All tokens of a call, read and made. */
export function totalTokens(usage: Usage): number {
  return promptTokens(usage) + outputTokens(usage)
}
