// The place of one string in JSON text that is not parsed: for names that are replaced in answers, which otherwise pass as they came.
import type { ByteString } from './byte-string.ts'
import { closingQuote } from './json-text.ts'

export interface Place {
  /** Just past the opening quote. */
  readonly start: number
  /** At the closing quote. */
  readonly end: number
}

/**
 * Where the string of a field stands. Only the objects on the way to it are looked into.
 * @param path the keys on that way, from the outermost object on
 * @returns undefined where there is no such field, or where it is no string
 */
export function placeOfString(json: ByteString, path: readonly string[]): Place | undefined {
  let at = skipSpaces(json, 0)
  for (const [depth, key] of path.entries()) {
    if (json[at] !== '{') return undefined
    at = valueIn(json, at, key)
    if (at < 0) return undefined
    if (depth < path.length - 1) continue
    if (json[at] !== '"') return undefined
    const end = closingQuote(json, at + 1)
    return end < 0 ? undefined : { start: at + 1, end }
  }
  return undefined
}

/** Where the value of a field of an object begins; -1 where it has no such field. @param open the object's brace */
function valueIn(json: ByteString, open: number, key: string): number {
  let at = skipSpaces(json, open + 1)
  while (json[at] === '"') {
    const key_end = closingQuote(json, at + 1)
    if (key_end < 0) return -1
    const found = key_end - at - 1 === key.length && json.startsWith(key, at + 1)
    const colon = skipSpaces(json, key_end + 1)
    if (json[colon] !== ':') return -1
    const value = skipSpaces(json, colon + 1)
    if (found) return value
    const comma = skipSpaces(json, endOfValue(json, value))
    if (json[comma] !== ',') return -1
    at = skipSpaces(json, comma + 1)
  }
  return -1
}

/** The offset just past a value; the end of the text where it is cut off. */
function endOfValue(json: ByteString, start: number): number {
  const first = json[start]
  if (first === '"') return endOfString(json, start)
  if (first !== '{' && first !== '[') return next(END_OF_SCALAR, json, start)
  let depth = 0
  for (let at = start; at < json.length; at = next(STRUCTURE, json, at)) {
    const character = json[at]
    if (character === '"') {
      at = endOfString(json, at)
      continue
    }
    depth += character === '{' || character === '[' ? 1 : -1
    at++
    if (depth === 0) return at
  }
  return json.length
}

function endOfString(json: ByteString, open: number): number {
  const end = closingQuote(json, open + 1)
  return end < 0 ? json.length : end + 1
}

const STRUCTURE = /["{}[\]]/g
const END_OF_SCALAR = /[\s,}\]]/g
const NO_SPACE = /[^ \t\r\n]/g

const skipSpaces = (json: ByteString, from: number): number =>
  json.charCodeAt(from) > SPACE ? from : next(NO_SPACE, json, from)

const SPACE = 32

/** The offset of the next match, or the end of the text. */
function next(pattern: RegExp, json: ByteString, from: number): number {
  pattern.lastIndex = from
  return pattern.test(json) ? pattern.lastIndex - 1 : json.length
}
