// Tokens of calls for images: what is counted of them beside their usage, and the rates that price them.
import type { ReportedUsage, Usage } from './usage.ts'

/** Tokens of one call. The images among its input are part of the usage's input, and priced apart. */
export interface ImageTokens {
  readonly usage: Usage
  /** Of `usage.input_tokens`. */
  readonly image_input_tokens: number
  /** Of `usage.cache_read_tokens`. */
  readonly image_cache_read_tokens: number
}

/** A provider's report of an answer, before it is judged. NaN stands for what is no count. */
export interface ReportedImageTokens {
  readonly usage: ReportedUsage
  /** Undefined where the report does not tell images from text. */
  readonly image_input_tokens?: number | undefined
  readonly image_cache_read_tokens?: number | undefined
}

/** The rates by the names that the catalogue has for them; all for a million tokens. */
export const IMAGE_TOKEN_RATES = [
  'input',
  'image_input',
  'cache_read',
  'image_cache_read',
  'output',
  'image_output',
] as const

export type ImageTokenRate = (typeof IMAGE_TOKEN_RATES)[number]

/** How many tokens each rate prices. */
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
