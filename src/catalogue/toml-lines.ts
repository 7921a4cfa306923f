// Lines of a TOML text: where they begin and end, and which comments belong to what is below or above them; and what is spliced into a text.

/** The first character of the line in which `at` is. */
export const lineStart = (text: string, at: number): number =>
  at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1

/** The first character of the next line; the end of the text on the last line. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

/** The white space at the beginning of the line in which `at` is. */
export const indentationAt = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? ''

const COMMENT = /^[ \t]*#/
const isComment = (line: string): boolean => COMMENT.test(line)
export const isBlank = (line: string): boolean => line.trim() === ''

/** Where the lines of a kind begin that end at `end`, which is the beginning of a line or the end of the text. */
function above(text: string, end: number, isOne: (line: string) => boolean): number {
  for (let start = end; ; ) {
    const before = start === 0 ? 0 : lineStart(text, start - 1)
    if (start === 0 || !isOne(text.slice(before, start))) return start
    start = before
  }
}

/** Where the lines of a kind end that begin at `start`. */
function below(text: string, start: number, isOne: (line: string) => boolean): number {
  for (let end = start; ; ) {
    const next = nextLine(text, end)
    if (end === text.length || !isOne(text.slice(end, next))) return end
    end = next
  }
}

/** Where the comment begins that stands right above a line, without a blank one between; else the line itself. */
export const withCommentAbove = (text: string, line_start: number): number =>
  above(text, line_start, isComment)

/** The same below: where a comment ends that is followed by a blank line, or by nothing. What is above a header is the header's. */
export function withCommentBelow(text: string, line_start: number): number {
  const end = below(text, line_start, isComment)
  return isBlank(text.slice(end, nextLine(text, end))) ? end : line_start
}

/** After the blank lines that begin at `start`. */
export const afterBlankLines = (text: string, start: number): number => below(text, start, isBlank)

/** Where the blank lines begin that end at `end`, which is the beginning of a line or the end of the text. */
export const beforeBlankLines = (text: string, end: number): number => above(text, end, isBlank)

/** A text that replaces the characters from one place to another. */
export type Splice = readonly [from: number, to: number, by: string]

/** The text with all of the splices. Removals may overlap. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let result = ''
  let at = 0
  for (const [from, to, by] of splices.toSorted(([one], [other]) => one - other)) {
    result += text.slice(at, Math.max(at, from)) + by
    at = Math.max(at, to)
  }
  return result + text.slice(at)
}
