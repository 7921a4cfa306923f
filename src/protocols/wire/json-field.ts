// The top-level fields of a JSON body, as they stand in its bytes.
import type { JsonBody } from './json-body.ts'
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

/** The bytes of a field's value, those that were parsed where it is given twice; undefined where there is no such field. */
export function fieldBytes(
  { bytes, keys }: Pick<JsonBody, 'bytes' | 'keys'>,
  name: string,
): Buffer | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const index = keys.findLastIndex((key) => nameAt(data, key) === name)
  const key = keys[index]
  if (key === undefined) return undefined
  const { value, end } = placeAt(data, key, keys[index + 1], trimEnd(data, data.length) - 1)
  return data.subarray(value, end)
}
