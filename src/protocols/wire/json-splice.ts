// Owns changing top-level fields of a JSON object in its bytes: all else stays as its writer wrote it, byte for byte.

import { type ByteString, toByteString } from './byte-string.ts'
import type { Json, JsonObject } from './json.ts'
import { closingQuote } from './json-bytes.ts'

/** Where a top-level field's value stands. */
interface Field {
  readonly name: string
  readonly start: number
  readonly end: number
}

/**
 * Bytes that say `before`, made to say `after`. Only values of top-level fields that differ are written anew, so that
 * nothing is lost which JSON.parse cannot hold: integers beyond 2^53, the spelling of numbers, duplicate keys within.
 *
 * @param bytes what `before` was parsed from, as UTF-8
 * @param after `before` with other or further fields; one that it lacks stays
 * @param single names that must not have two meanings: readers differ in which of two equal keys counts (RFC 8259, section 4), so
 * where one is written more than once, each gets the value that was read
 * @returns the very same bytes where nothing has to change
 */
export function spliceFields(
  bytes: Uint8Array,
  before: JsonObject,
  after: JsonObject,
  single: ReadonlySet<string>,
): Uint8Array {
  if (after === before && !mayRepeat(toByteString(bytes), single)) return bytes
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const { fields, end } = topLevelFields(data)
  const ambiguous = repeatedNames(fields, single)
  const says = (name: string) => after[name] !== before[name] || ambiguous.has(name)
  const replaced = fields.filter(({ name }) => says(name))
  const added = Object.entries(after).filter(([name]) => !Object.hasOwn(before, name))
  if (replaced.length === 0 && added.length === 0) return bytes
  return Buffer.concat([
    ...replacing(data, replaced, after, end),
    Buffer.from(appended(added, fields.length === 0)),
    data.subarray(end),
  ])
}

/** Whether a name could be written twice; a search, where finding the fields is a walk. An escape may hide a name. */
function mayRepeat(data: ByteString, names: ReadonlySet<string>): boolean {
  if (data.includes('\\u')) return true
  for (const name of names) {
    const key = `"${name}"`
    const first = data.indexOf(key)
    if (first >= 0 && data.includes(key, first + key.length)) return true
  }
  return false
}

function replacing(data: Buffer, replaced: readonly Field[], after: JsonObject, end: number): Buffer[] {
  const parts: Buffer[] = []
  let copied = 0
  for (const { name, start, end: value_end } of replaced) {
    parts.push(data.subarray(copied, start), Buffer.from(JSON.stringify(after[name])))
    copied = value_end
  }
  return [...parts, data.subarray(copied, end)]
}

function appended(added: readonly (readonly [string, Json])[], empty: boolean): string {
  const text = added.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')
  return empty || text === '' ? text : `,${text}`
}

function repeatedNames(fields: readonly Field[], names: ReadonlySet<string>): Set<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { name } of fields) {
    if (!names.has(name)) continue
    if (seen.has(name)) repeated.add(name)
    seen.add(name)
  }
  return repeated
}

/** The fields of an object that is known to be well formed, and where its closing brace stands. */
function topLevelFields(data: Buffer): { fields: Field[]; end: number } {
  const fields: Field[] = []
  let at = skipWhitespace(data, data.indexOf(OPENING_BRACE) + 1)
  while (data[at] === QUOTE) {
    const name_end = closingQuote(data, at + 1) + 1
    const name: string = JSON.parse(data.toString('utf8', at, name_end))
    const start = skipWhitespace(data, skipWhitespace(data, name_end) + 1)
    const end = valueEnd(data, start)
    fields.push({ name, start, end })
    at = skipWhitespace(data, end)
    if (data[at] === COMMA) at = skipWhitespace(data, at + 1)
  }
  return { fields, end: at }
}

function valueEnd(data: Buffer, start: number): number {
  const first = data[start]
  if (first === QUOTE) return closingQuote(data, start + 1) + 1
  if (first === OPENING_BRACE || first === OPENING_BRACKET) return nestedEnd(data, start)
  let at = start
  while (at < data.length && !ENDS_A_WORD.has(data[at])) at++
  return at
}

function nestedEnd(data: Buffer, start: number): number {
  let levels = 0
  for (let at = start; at < data.length; at++) {
    const byte = data[at]
    if (byte === QUOTE) at = closingQuote(data, at + 1)
    else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) levels++
    else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
      levels--
      if (levels === 0) return at + 1
    }
  }
  return data.length
}

function skipWhitespace(data: Buffer, from: number): number {
  let at = from
  while (WHITESPACE.has(data[at])) at++
  return at
}

const codeOf = (character: string): number => character.charCodeAt(0)

const QUOTE = codeOf('"')
const COMMA = codeOf(',')
const OPENING_BRACE = codeOf('{')
const OPENING_BRACKET = codeOf('[')
const CLOSING_BRACE = codeOf('}')
const CLOSING_BRACKET = codeOf(']')
const WHITESPACE: ReadonlySet<number | undefined> = new Set([...' \t\n\r'].map(codeOf))
const ENDS_A_WORD: ReadonlySet<number | undefined> = new Set([...' \t\n\r,}'].map(codeOf))
