// The top-level fields of a JSON body, as they stand in its bytes.
import { closingQuote, skipWhitespace, trimEnd } from './json-bytes.ts'

/** Where a field is: its key, its value, and the end of that, whitespace left out. */
export interface Place {
  readonly key: number
  readonly value: number
  readonly end: number
}

/** @param key where its opening quote is */
export const nameAt = (data: Buffer, key: number): string =>
  JSON.parse(data.toString('utf8', key, closingQuote(data, key + 1) + 1))

/** @param object_end where the closing brace of the object is */
export function placeAt(data: Buffer, key: number, next_key: number | undefined, object_end: number): Place {
  const colon = skipWhitespace(data, closingQuote(data, key + 1) + 1)
  const comma_or_end = next_key === undefined ? object_end : trimEnd(data, next_key) - 1
  return { key, value: skipWhitespace(data, colon + 1), end: trimEnd(data, comma_or_end) }
}
