// Owns the search for values in JSON that is not parsed: for streams, where parsing every event would cost too much.
import type { ByteString } from './byte-string.ts'

/** A key as it stands in JSON. Inside a string every quote is escaped, so it is found nowhere but where strings end and begin. */
export const quoted = (name: string): ByteString => `"${name}"`

/** Bytes of all string values of a key, as they are escaped; other values count nothing. */
export function stringValueBytes(data: ByteString, key: ByteString): number {
  let bytes = 0
  for (let at = data.indexOf(key); at >= 0; at = data.indexOf(key, at + key.length)) {
    const start = valueStart(data, at + key.length)
    if (data[start] !== '"') continue
    const end = closingQuote(data, start + 1)
    if (end < 0) return bytes
    bytes += end - start - 1
    at = end - key.length
  }
  return bytes
}

/** Whether a key has a value of any kind but null. */
export function hasValue(data: ByteString, key: ByteString): boolean {
  for (let at = data.indexOf(key); at >= 0; at = data.indexOf(key, at + key.length)) {
    const colon = skipSpaces(data, at + key.length)
    if (data[colon] === ':' && data[skipSpaces(data, colon + 1)] !== 'n') return true
  }
  return false
}

/** Where the value after a key begins; the place after the key where it is no key. */
function valueStart(data: ByteString, after_key: number): number {
  const colon = skipSpaces(data, after_key)
  return data[colon] === ':' ? skipSpaces(data, colon + 1) : after_key
}

function skipSpaces(data: ByteString, from: number): number {
  let at = from
  while (data[at] === ' ') at++
  return at
}

function closingQuote(data: ByteString, start: number): number {
  let quote = data.indexOf('"', start)
  while (quote > start && isEscaped(data, quote, start)) quote = data.indexOf('"', quote + 1)
  return quote
}

/** An odd number of backslashes before it. */
function isEscaped(data: ByteString, at: number, start: number): boolean {
  let first = at
  while (first > start && data[first - 1] === '\\') first--
  return (at - first) % 2 === 1
}
