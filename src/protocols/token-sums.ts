// Estimates of tokens: sums for quotes and for streams that end without a usage, and the fewest that a prompt can have.
import { estimateTokens } from '../domain/token-estimate.ts'
import type { Json, JsonObject } from './wire/json.ts'

/** Longer tokens are in no known vocabulary. */
const MAX_TOKEN_CHARS = 128
const SPACE = 32

/** The fewest tokens of a text: the tokenizers of the providers do not join words over white space. */
function leastTokensOf(text: string): number {
  let tokens = 0
  let word_chars = 0
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) <= SPACE) word_chars = 0
    else if (word_chars++ % MAX_TOKEN_CHARS === 0) tokens++
  }
  return tokens
}

/** The fields that hold text, or what holds it. Others may be left out by the provider, or are not read as text. */
const READ: readonly string[] = ['content', 'parts', 'text']

function leastIn(value: Json | undefined): number {
  if (typeof value === 'string') return leastTokensOf(value)
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + leastIn(item), 0)
  // Earlier thoughts are not read again by every model.
  return value.thought === true ? 0 : READ.reduce((sum, name) => sum + leastIn(value[name]), 0)
}

/**
 * @param read the fields of a request that hold its prompt
 * @param shortening the fields by which the provider may leave out some of it: then the least is nothing
 */
export const leastTokensIn =
  (read: readonly string[], shortening: readonly string[] = []) =>
  (body: JsonObject): number =>
    shortening.some((name) => (body[name] ?? null) !== null)
      ? 0
      : read.reduce((sum, name) => sum + leastIn(body[name]), 0)

/** English text has about this many bytes a token; scripts with more bytes a character also have more tokens a character. */
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
