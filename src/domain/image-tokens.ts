// Tokens of image calls: the counts besides their usage, and the rates that price them.
import type { ReportedUsage, Usage } from './usage.ts'

/** Tokens of one call. Tokens of input images are part of the usage's input, but have their own price. */
export interface ImageTokens {
  readonly usage: Usage
  /** Part of `usage.input_tokens`. */
  readonly image_input_tokens: number
  /** Part of `usage.cache_read_tokens`. */
  readonly image_cache_read_tokens: number
}

/** A provider's report, before validation. NaN stands for a value that is no count. */
export interface ReportedImageTokens {
  readonly usage: ReportedUsage
  /** Undefined if the report does not separate images from text. */
  readonly image_input_tokens?: number | undefined
  readonly image_cache_read_tokens?: number | undefined
}

/** The rates, by their names in the catalogue; each is for a million tokens. */
export const IMAGE_TOKEN_RATES = [
  'input',
  'image_input',
  'cache_read',
  'image_cache_read',
  'output',
  'image_output',
] as const

export type ImageTokenRate = (typeof IMAGE_TOKEN_RATES)[number]

/** Returns the number of tokens for each rate. */
export const countedByRate = ({
  usage,
  image_input_tokens,
  image_cache_read_tokens,
}: ImageTokens): Readonly<Record<ImageTokenRate, number>> => ({
  input: usage.input_tokens - image_input_tokens,
  image_input: image_input_tokens,
  cache_read: usage.cache_read_tokens - image_cache_read_tokens,
  image_cache_read: image_cache_read_tokens,
  output: usage.output_tokens + usage.thinking_tokens,
  image_output: usage.output_image_tokens,
})
