// Control characters in text for people: escaped in output, refused in input.

/**
 * C0, DEL and C1, line and paragraph separators, and the overrides and isolates of writing direction (Unicode, UAX #9, 2):
 * on a terminal they move the cursor, colour, erase or reorder the text next to them. Tabs, line feeds, and carriage
 * returns before a line feed or at the end are allowed in text of several lines.
 */
const UNSEEN = '[\\0-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F\\u2028-\\u202E\\u2066-\\u2069]|\\r(?!\\n|$)'
const BREAKS = '[\\t\\n\\r]'

// Built from strings: the linter refuses a control character in a literal.
const FIRST_UNSEEN = new RegExp(UNSEEN)
const ALL_UNSEEN = new RegExp(UNSEEN, 'g')
const FIRST_BREAK = new RegExp(BREAKS)
const ALL_BREAKS = new RegExp(BREAKS, 'g')

/** Escapes a character as in JSON (`\u001b`), so that JSON keeps its value. */
const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Returns lines with their control characters escaped; the same text if none exist. */
export const visible = (text: string): string =>
  FIRST_UNSEEN.test(text) ? text.replace(ALL_UNSEEN, escaped) : text

/** Does the same for text of one line, such as a table cell. */
export function visibleLine(text: string): string {
  const seen = visible(text)
  return FIRST_BREAK.test(seen) ? seen.replace(ALL_BREAKS, escaped) : seen
}

/** Returns the first character of a line that must be escaped, in escaped form; undefined if none exists. */
export function unseenIn(line: string): string | undefined {
  const [sign] = FIRST_UNSEEN.exec(line) ?? FIRST_BREAK.exec(line) ?? []
  return sign === undefined ? undefined : escaped(sign)
}
