// Lines of a TOML text: where they begin and end, and which comments belong to what is below or above them.

/** How lines end. */
export const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/** The first character of the line in which `at` is. */
export const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1

/** The first character of the next line; the end of the text on the last line. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

/** The white space at the beginning of the line in which `at` is. */
export const indentationAt = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? ''

const lineAt = (text: string, start: number): string => text.slice(start, nextLine(text, start))

const COMMENT = /^[ \t]*#/
const isComment = (line: string): boolean => COMMENT.test(line)
export const isBlank = (line: string): boolean => line.trim() === ''

/** Where the comment begins that stands right above a line, without a blank one between; else the line itself. */
export function withCommentAbove(text: string, line_start: number): number {
  let start = line_start
  while (start > 0) {
    const above = lineStart(text, start - 1)
    if (!isComment(lineAt(text, above))) break
    start = above
  }
  return start
}

/** The same below: where a comment ends that is followed by a blank line, or by nothing. What is above a header is the header's. */
export function withCommentBelow(text: string, line_start: number): number {
  let end = line_start
  while (end < text.length && isComment(lineAt(text, end))) end = nextLine(text, end)
  return end === text.length || isBlank(lineAt(text, end)) ? end : line_start
}

/** After the blank lines that begin at `start`. */
export function afterBlankLines(text: string, start: number): number {
  let end = start
  while (end < text.length && isBlank(lineAt(text, end))) end = nextLine(text, end)
  return end
}
