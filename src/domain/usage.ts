// The usage of a call: each token is counted once, in the field whose rate prices it.

/** Tokens of one call. The fields are disjoint: their sum is the whole usage. */
export interface Usage {
  /** Text and images of the prompt, without cache reads. */
  input_tokens: number
  /** Audio of the prompt, without cache reads. */
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

/** The fields of input tokens. */
export const INPUT_FIELDS = [
  'input_tokens',
  'input_audio_tokens',
  'cache_read_tokens',
  'cache_write_5m_tokens',
  'cache_write_1h_tokens',
] as const satisfies UsageField[]

export type InputField = (typeof INPUT_FIELDS)[number]

/** The fields of output tokens. */
export const OUTPUT_FIELDS = [
  'output_tokens',
  'thinking_tokens',
  'output_image_tokens',
] as const satisfies UsageField[]

/**
 * A provider's report, before validation (money/pricing/billed-usage.ts). Without `input_tokens` the whole input is
 * unreported, without `output_tokens` the whole output. NaN stands for a value that is no count; parts that exceed
 * their total leave a negative rest.
 */
export type ReportedUsage = { readonly [F in UsageField]?: number | undefined } & {
  /** The cost that the provider reports, in nano-dollars; undefined if it reports none. */
  readonly cost_nanos?: number | undefined
}

/** Fills unreported fields with zero. Written out by field, since every call does this, and a spread takes a microsecond. */
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
