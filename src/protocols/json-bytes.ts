// Owns the search for string values in JSON that is not parsed: for streams, where parsing every event would cost too much.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const SPACE = 0x20

/** A key as it stands in the bytes. Inside a string every quote is escaped, so it is found nowhere but where strings end and begin. */
export const keyBytes = (name: string): Buffer => Buffer.from(`"${name}"`)

/** Bytes of all string values of a key, as they are escaped; other values count nothing. */
export function stringValueBytes(data: Buffer, key: Buffer): number {
  let bytes = 0
  for (let at = data.indexOf(key); at >= 0; at = data.indexOf(key, at + key.length)) {
    const start = valueStart(data, at + key.length)
    if (data[start] !== QUOTE) continue
    const end = closingQuote(data, start + 1)
    if (end < 0) return bytes
    bytes += end - start - 1
    at = end - key.length
  }
  return bytes
}

/** Whether a key has a value of any kind but null. */
export function hasValue(data: Buffer, key: Buffer): boolean {
  for (let at = data.indexOf(key); at >= 0; at = data.indexOf(key, at + key.length)) {
    const colon = skipSpaces(data, at + key.length)
    if (data[colon] === COLON && data[skipSpaces(data, colon + 1)] !== NULL) return true
  }
  return false
}

const NULL = 'n'.charCodeAt(0)

/** Whether arrays and objects stand in one another deeper than this; what stands in strings does not count. */
export function isNestedDeeperThan(data: Buffer, most_levels: number): boolean {
  let levels = 0
  for (let at = 0; at < data.length; at++) {
    const byte = data[at]
    if (byte === QUOTE) {
      const end = closingQuote(data, at + 1)
      if (end < 0) return false
      at = end
    } else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      levels++
      if (levels > most_levels) return true
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) levels--
  }
  return false
}

const OPENING_BRACKET = '['.charCodeAt(0)
const OPENING_BRACE = '{'.charCodeAt(0)
const CLOSING_BRACKET = ']'.charCodeAt(0)
const CLOSING_BRACE = '}'.charCodeAt(0)

/** Where the value after a key begins; the place after the key where it is no key. */
function valueStart(data: Buffer, after_key: number): number {
  const colon = skipSpaces(data, after_key)
  return data[colon] === COLON ? skipSpaces(data, colon + 1) : after_key
}

function skipSpaces(data: Buffer, from: number): number {
  let at = from
  while (data[at] === SPACE) at++
  return at
}

/** Where a string's closing quote stands; -1 where there is none. @param start just past its opening quote */
export function closingQuote(data: Buffer, start: number): number {
  let quote = data.indexOf(QUOTE, start)
  while (quote > start && isEscaped(data, quote, start)) quote = data.indexOf(QUOTE, quote + 1)
  return quote
}

/** An odd number of backslashes before it. */
function isEscaped(data: Buffer, at: number, start: number): boolean {
  let first = at
  while (first > start && data[first - 1] === BACKSLASH) first--
  return (at - first) % 2 === 1
}
