// Owns walking through JSON as bytes, without parsing it: where strings end, and how deep it is nested.

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** Whether arrays and objects stand in one another deeper than this; what stands in strings does not count. */
export function isNestedDeeperThan(data: Buffer, max_depth: number): boolean {
  let levels = 0
  for (let at = 0; at < data.length; at++) {
    const byte = data[at]
    if (byte === QUOTE) {
      const end = closingQuote(data, at + 1)
      if (end < 0) return false
      at = end
    } else if (byte === OPENING_BRACKET || byte === OPENING_BRACE) {
      levels++
      if (levels > max_depth) return true
    } else if (byte === CLOSING_BRACKET || byte === CLOSING_BRACE) levels--
  }
  return false
}

const OPENING_BRACKET = '['.charCodeAt(0)
const OPENING_BRACE = '{'.charCodeAt(0)
const CLOSING_BRACKET = ']'.charCodeAt(0)
const CLOSING_BRACE = '}'.charCodeAt(0)

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
