// Sums of estimated tokens, for quotes before a call and for streams that end without a usage.
import { estimateTokens } from '../domain/token-estimate.ts'
import type { Json } from './wire/json.ts'

/**
 * English text has about this many bytes a token; scripts with more bytes a character also have more tokens a
 * character.
 */
const BYTES_PER_TOKEN = 4

/** The tokens of text of so many bytes. */
export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN)

/** The tokens of a value as JSON text; none for a value that is absent. */
export const jsonTokens = (value: Json | undefined): number =>
  value === undefined || value === null ? 0 : estimateTokens(JSON.stringify(value))

/** The tokens of all items of a list. */
export function sumTokens<T>(items: readonly T[], tokensOf: (item: T, index: number) => number): number {
  let tokens = 0
  let index = 0
  for (const item of items) tokens += tokensOf(item, index++)
  return tokens
}
