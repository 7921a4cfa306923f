// Searches in unparsed JSON: for values in streams, since to parse every event would cost too much, and for its depth.
import type { ByteString } from './byte-string.ts'
import {
  CLOSING_BRACE,
  CLOSING_BRACKET,
  COLON,
  isEscaped,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from './json-bytes.ts'

/** Deeper than any request or answer needs, and far below the depth at which recursive code would exhaust the stack. */
export const MAX_DEPTH = 500

/**
 * Whether a text is nested deeper than MAX_DEPTH. Brackets inside strings do not count. For invalid JSON, it says whether a parser could
 * reach that depth.
 *
 * @param text a string or a byte string
 */
export function isTooDeep(text: string): boolean {
  // A shorter text cannot be nested so deep. Nearly all events and many answers are shorter.
  if (text.length <= 2 * MAX_DEPTH) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = closingQuote(text, at + 1)
      if (at < 0) return false
    } else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) depth--
  }
  return false
}

const SPACE = 32
/** The `n` of null. */
const NULLS_FIRST = 110

/** A key as JSON writes it. A search for it finds a whole string, or the end of one with an escaped quote before it. */
export const quoted = (name: string): ByteString => `"${name}"`

/** The offset of a key's next string value, after its opening quote; -1 if none is found. */
export function nextStringValue(data: ByteString, key: ByteString, from: number): number {
  for (let at = data.indexOf(key, from); at >= 0; at = data.indexOf(key, at + key.length)) {
    const value = placeOfValue(data, at + key.length)
    if (data.charCodeAt(value) === QUOTE) return value + 1
  }
  return -1
}

/** Whether a key has a value other than null. */
export function hasValue(data: ByteString, key: ByteString): boolean {
  for (let at = data.indexOf(key); at >= 0; at = data.indexOf(key, at + key.length)) {
    const value = placeOfValue(data, at + key.length)
    if (value >= 0 && data.charCodeAt(value) !== NULLS_FIRST) return true
  }
  return false
}

/** The offset of a key's value; -1 for a string that is not a key. */
function placeOfValue(data: ByteString, after_key: number): number {
  const colon = skipSpaces(data, after_key)
  return data.charCodeAt(colon) === COLON ? skipSpaces(data, colon + 1) : -1
}

function skipSpaces(data: ByteString, from: number): number {
  let at = from
  while (data.charCodeAt(at) === SPACE) at++
  return at
}

/** As in `json-bytes.ts`, but without the loop: on strings, the search alone is faster (44 ns an event against 96). */
export function closingQuote(data: ByteString, start: number): number {
  let quote = data.indexOf('"', start)
  while (quote > start && isEscaped(data, quote, start, '\\')) quote = data.indexOf('"', quote + 1)
  return quote
}
