// The usage of a call: its tokens, each counted once, in the field whose rate prices it.

/** Tokens of one call. The fields are disjoint: their sum is the whole usage. */
export interface Usage {
  /** Text and images of the prompt that were not read from a cache. */
  input_tokens: number
  /** Audio of the prompt that was not read from a cache. */
  input_audio_tokens: number
  cache_read_tokens: number
  cache_write_5m_tokens: number
  cache_write_1h_tokens: number
  /** Visible output, without thinking. */
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

/** The fields that input is billed in. */
export const INPUT_FIELDS = [
  'input_tokens',
  'input_audio_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
] as const satisfies UsageField[]

export type InputField = (typeof INPUT_FIELDS)[number]

/** The fields that output is billed in. */
export const OUTPUT_FIELDS = [
  'output_tokens',
  'thinking_tokens',
  'output_image_tokens',
] as const satisfies UsageField[]

/**
 * A provider's report, before it is judged (money/pricing/billed-usage.ts). Without `input_tokens` nothing is said of the
 * input, without `output_tokens` nothing of the output. NaN stands for what is no count, and parts that are more than
 * their whole leave a negative rest.
 */
export type ReportedUsage = { readonly [F in UsageField]?: number | undefined } & {
  /** The provider's own cost, in nano-dollars; undefined if it reports none. */
  readonly cost_nanos?: number | undefined
}

/** The same with zero for all that is not said. Field by field: every call comes this way, and a spread takes a microsecond. */
export function inFull(reported: ReportedUsage): Usage
export function inFull(reported: ReportedUsage | undefined): Usage | undefined
export function inFull(reported: ReportedUsage | undefined): Usage | undefined {
  if (reported === undefined) return undefined
  return {
    input_tokens: reported.input_tokens ?? 0,
    input_audio_tokens: reported.input_audio_tokens ?? 0,
    cache_read_tokens: reported.cache_read_tokens ?? 0,
    cache_write_5m_tokens: reported.cache_write_5m_tokens ?? 0,
    cache_write_1h_tokens: reported.cache_write_1h_tokens ?? 0,
    output_tokens: reported.output_tokens ?? 0,
    thinking_tokens: reported.thinking_tokens ?? 0,
    output_image_tokens: reported.output_image_tokens ?? 0,
  }
}

/** The prompt's size in tokens, cached or not, which selects the tier of the price. */
export function promptTokens(usage: Usage): number {
  return (
    usage.input_tokens +
    usage.input_audio_tokens +
    usage.cache_read_tokens +
    usage.cache_write_5m_tokens +
    usage.cache_write_1h_tokens
  )
}

/** All output tokens: text, thinking and images. */
export function outputTokens(usage: Usage): number {
  return usage.output_tokens + usage.thinking_tokens + usage.output_image_tokens
}

/** All tokens of a call, input and output. */
export function totalTokens(usage: Usage): number {
  return promptTokens(usage) + outputTokens(usage)
}

/** The catalogue's names for the rate of each field. */
export const TOKEN_RATE_NAMES: Readonly<Record<UsageField, string>> = {
  input_tokens: 'input',
  input_audio_tokens: 'audio',
  cache_read_tokens: 'cache_read',
  cache_write_5m_tokens: 'cache_write_5m',
  cache_write_1h_tokens: 'cache_write_1h',
  output_tokens: 'output',
  thinking_tokens: 'thinking',
  output_image_tokens: 'image_output',
}
