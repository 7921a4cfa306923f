// Changes to top-level fields of a JSON object, made in its bytes: everything else stays as it was written, byte for byte.

import type { Json, JsonObject } from './json.ts'
import type { JsonBody } from './json-body.ts'
import { closingQuote, skipWhitespace, trimEnd } from './json-bytes.ts'

/**
 * The bytes of a body with some of its top-level fields changed. Only the values that differ are written anew, so that
 * nothing is lost that JSON.parse cannot hold: integers beyond 2^53, the spelling of numbers, duplicate keys further in.
 *
 * @param after all fields of `body.json`, changed or not, and any further ones
 * @param decisive names that must have one meaning: readers differ in which of two equal keys counts (RFC 8259, section 4),
 * so where such a key occurs more than once, each occurrence gets the value that was read
 * @returns the very same bytes where nothing has to change
 */
export function spliceFields(
  { bytes, json, keys }: JsonBody,
  after: JsonObject,
  decisive: ReadonlySet<string>,
): Uint8Array {
  const has_duplicates = keys.length > Object.keys(json).length
  if (after === json && !has_duplicates) return bytes
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const names = keys.map((key) => nameAt(data, key))
  const ambiguous = has_duplicates ? repeatedNames(names, decisive) : new Set<string>()
  const isReplaced = (name: string) => after[name] !== json[name] || ambiguous.has(name)
  const added = Object.entries(after).filter(([name]) => !Object.hasOwn(json, name))
  if (added.length === 0 && !names.some(isReplaced)) return bytes

  const object_end = trimEnd(data, data.length) - 1
  const parts: Buffer[] = []
  let copied = 0
  for (const [index, name] of names.entries()) {
    if (!isReplaced(name)) continue
    const [start, end] = valueAt(data, keys[index] ?? 0, keys[index + 1], object_end)
    parts.push(data.subarray(copied, start), Buffer.from(JSON.stringify(after[name])))
    copied = end
  }
  return Buffer.concat([
    ...parts,
    data.subarray(copied, object_end),
    Buffer.from(fieldsText(added, keys.length === 0)),
    data.subarray(object_end),
  ])
}

const nameAt = (data: Buffer, key: number): string =>
  JSON.parse(data.toString('utf8', key, closingQuote(data, key + 1) + 1))

/** The names that occur more than once, as far as they are decisive. */
function repeatedNames(names: readonly string[], decisive: ReadonlySet<string>): Set<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const name of names) {
    if (!decisive.has(name)) continue
    if (seen.has(name)) repeated.add(name)
    seen.add(name)
  }
  return repeated
}

/** Where a field's value begins and ends, whitespace around it left out. */
function valueAt(
  data: Buffer,
  key: number,
  next_key: number | undefined,
  object_end: number,
): [start: number, end: number] {
  const colon = skipWhitespace(data, closingQuote(data, key + 1) + 1)
  const comma_or_end = next_key === undefined ? object_end : trimEnd(data, next_key) - 1
  return [skipWhitespace(data, colon + 1), trimEnd(data, comma_or_end)]
}

/** Further fields, to be written before the closing brace. */
function fieldsText(added: readonly (readonly [string, Json])[], object_is_empty: boolean): string {
  const text = added.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')
  return object_is_empty || text === '' ? text : `,${text}`
}
