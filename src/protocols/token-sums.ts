// Token estimates: sums for quotes and for streams that end without a usage, and lower bounds for prompts.
import { estimateTokens } from '../domain/token-estimate.ts'
import type { Json, JsonObject } from './wire/json.ts'

/** No known vocabulary has longer tokens. */
const MAX_TOKEN_CHARS = 128
const SPACE = 32

/** The fewest tokens of a text: no provider's tokenizer joins words across white space. */
function leastTokensOf(text: string): number {
  let tokens = 0
  let word_chars = 0
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) <= SPACE) word_chars = 0
    else if (word_chars++ % MAX_TOKEN_CHARS === 0) tokens++
  }
  return tokens
}

/** Fields that hold text, or objects with text. Providers may leave out others, or do not read them as text. */
const READ: readonly string[] = ['content', 'parts', 'text']

function leastIn(value: Json | undefined): number {
  if (typeof value === 'string') return leastTokensOf(value)
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + leastIn(item), 0)
  // Some models do not read earlier thoughts again.
  return value.thought === true ? 0 : READ.reduce((sum, name) => sum + leastIn(value[name]), 0)
}

/**
 * @param read the fields of a request that hold its prompt
 * @param shortening the fields that let the provider leave out some of the prompt: the lower bound is then 0
 */
export const leastTokensIn =
  (read: readonly string[], shortening: readonly string[] = []) =>
  (body: JsonObject): number =>
    shortening.some((name) => (body[name] ?? null) !== null)
      ? 0
      : read.reduce((sum, name) => sum + leastIn(body[name]), 0)

/** English text has about this many bytes a token; scripts with more bytes a character also have more tokens a character. */
const BYTES_PER_TOKEN = 4

export const tokensOfBytes = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN)

/** The tokens of a value as JSON text; 0 for an absent value. */
export const jsonTokens = (value: Json | undefined): number =>
  value === undefined || value === null ? 0 : estimateTokens(JSON.stringify(value))

export function sumTokens<T>(items: readonly T[], tokensOf: (item: T, index: number) => number): number {
  let tokens = 0
  let index = 0
  for (const item of items) tokens += tokensOf(item, index++)
  return tokens
}
