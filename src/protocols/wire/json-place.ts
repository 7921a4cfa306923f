// A search for one string in unparsed JSON, to replace names in answers that otherwise pass unchanged.
import { type ByteString, fromByteString, toByteString } from './byte-string.ts'
import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COMMA,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from './json-bytes.ts'
import { closingQuote } from './json-text.ts'

export interface Place {
  /** Just past the opening quote. */
  readonly start: number
  /** At the closing quote. */
  readonly end: number
}

/**
 * Finds the string value of a field. Only the objects on the path are searched.
 * @param path the keys to the field, from the outermost object on
 * @returns undefined if there is no such field, or if it is not a string
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

/** The offset after the opening brace of the object in a top-level field; undefined if the field holds none. */
export function placeInObject(json: ByteString, key: string): number | undefined {
  const open = skipSpaces(json, 0)
  const at = json[open] === '{' ? valueIn(json, open, key) : -1
  return at >= 0 && json[at] === '{' ? at + 1 : undefined
}

/** The most events of a stream to remember: if they keep differing, each event is searched. */
const MAX_REMEMBERED = 4

/**
 * Finds the same field in each event of a stream. Most events have the same text as an earlier one from their beginning up to the field
 * (chat), or from the field to their end (native), and are then not searched: in JSON, either text determines the field.
 *
 * @param path as for `placeOfString`
 */
export function createStringFinder(path: readonly string[]): (json: ByteString) => Place | undefined {
  let head: ByteString | undefined
  let tail: ByteString | undefined
  let found: Place = { start: 0, end: 0 }
  let from_end: Place = { start: 0, end: 0 }
  let remembered = 0

  function remember(json: ByteString, place: Place): void {
    remembered++
    head = copyOf(json.slice(0, place.end + 1))
    found = place
    const key = json.lastIndexOf(`,"${path.at(-1)}"`, place.start)
    // The tail does not contain the names of the objects around a nested field.
    if (path.length > 1 || key < 0) return
    tail = copyOf(json.slice(key))
    from_end = { start: json.length - place.start, end: json.length - place.end }
  }

  return (json) => {
    if (head !== undefined && json.startsWith(head)) return found
    if (tail !== undefined && json.endsWith(tail))
      return { start: json.length - from_end.start, end: json.length - from_end.end }
    const place = placeOfString(json, path)
    if (place && remembered < MAX_REMEMBERED) remember(json, place)
    return place
  }
}

/** A copy: a slice would keep the whole chunk in memory. */
const copyOf = (part: ByteString): ByteString => toByteString(fromByteString(part))

/** The offset of a field's value in an object; -1 if it has no such field. @param open the object's brace */
function valueIn(json: ByteString, open: number, key: string): number {
  let at = skipSpaces(json, open + 1)
  while (json[at] === '"') {
    const key_end = endOfString(json, at)
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

/** The offset after a value; the end of the text if it is cut off. A loop, since it is faster than patterns and runs for every event. */
function endOfValue(json: ByteString, start: number): number {
  let depth = 0
  for (let at = start; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) {
      at = endOfString(json, at)
      if (depth === 0) return at + 1
    } else if (code === OPENING_BRACE || code === OPENING_BRACKET) depth++
    else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      if (depth === 0) return at
      depth--
      if (depth === 0) return at + 1
    } else if (depth === 0 && (code === COMMA || code <= SPACE)) return at
  }
  return json.length
}

/** Most strings are keys and short words. */
const SHORT_STRING_CHARS = 16
const SPACE = 32

/** The offset of a string's closing quote; the end of the text if it is cut off. */
function endOfString(json: ByteString, open: number): number {
  const short = Math.min(open + SHORT_STRING_CHARS, json.length)
  for (let at = open + 1; at < short; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) return at
    if (code === BACKSLASH) break
  }
  const end = closingQuote(json, open + 1)
  return end < 0 ? json.length : end
}

function skipSpaces(json: ByteString, from: number): number {
  let at = from
  while (json.charCodeAt(at) <= SPACE) at++
  return at
}
