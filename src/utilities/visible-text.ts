// Text that is shown to people: control characters are escaped where it is shown, and refused where it is entered.

/**
 * C0, DEL and C1, line and paragraph separators, and what overrides or isolates the direction of writing (Unicode, UAX #9, 2):
 * on a terminal they move the cursor, colour, erase or reorder what stands beside them. Tabs, line feeds and the carriage
 * returns before these, or at the end, are left to whoever writes several lines.
 */
const UNSEEN = '[\\0-\\x08\\x0B\\x0C\\x0E-\\x1F\\x7F-\\x9F\\u2028-\\u202E\\u2066-\\u2069]|\\r(?!\\n|$)'
const BREAKS = '[\\t\\n\\r]'

// From texts: the linter takes a control character in a literal for a mistake.
const FIRST_UNSEEN = new RegExp(UNSEEN)
const ALL_UNSEEN = new RegExp(UNSEEN, 'g')
const FIRST_BREAK = new RegExp(BREAKS)
const ALL_BREAKS = new RegExp(BREAKS, 'g')

/** `\u001b`: as JSON writes it, so that JSON stays what it is. */
const escaped = (sign: string): string => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Lines with their control characters escaped; the very same text without any. */
export const visible = (text: string): string =>
  FIRST_UNSEEN.test(text) ? text.replace(ALL_UNSEEN, escaped) : text

/** The same of what stands in one line, such as a cell of a table. */
export function visibleLine(text: string): string {
  const seen = visible(text)
  return FIRST_BREAK.test(seen) ? seen.replace(ALL_BREAKS, escaped) : seen
}

/** The first character of a line that would be escaped, as it would be; undefined if all can be seen. */
export function unseenIn(line: string): string | undefined {
  const [sign] = FIRST_UNSEEN.exec(line) ?? FIRST_BREAK.exec(line) ?? []
  return sign === undefined ? undefined : escaped(sign)
}
