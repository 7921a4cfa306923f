// The depth to which JSON from outside may be nested, and whether a text is deeper.
import { CLOSING_BRACE, CLOSING_BRACKET, OPENING_BRACE, OPENING_BRACKET, QUOTE } from './json-bytes.ts'
import { closingQuote } from './json-text.ts'

/** Deeper than any request or answer needs, and far from where recursive code would exhaust the stack. */
export const MAX_DEPTH = 500

/**
 * Whether a text is nested deeper than MAX_DEPTH. Brackets inside strings do not count. Of a text that is not JSON it says whether
 * a parser could get so deep.
 *
 * @param text as a string or a byte string
 */
export function isTooDeep(text: string): boolean {
  // Nearly all events and many answers: what is shorter cannot be.
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
