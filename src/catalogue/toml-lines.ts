// Lines of a TOML text: their bounds, and the comments that belong to a line; and splices of a text.

/** Returns the start of the line that contains `at`. */
export const lineStart = (text: string, at: number): number =>
  at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1

/** Returns the start of the next line, or the end of the text. */
export function nextLine(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

/** Returns the indentation of the line that contains `at`. */
export const indentationAt = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(lineStart(text, at), at))?.[0] ?? ''

const COMMENT = /^[ \t]*#/
const isComment = (line: string): boolean => COMMENT.test(line)
export const isBlank = (line: string): boolean => line.trim() === ''

/** Returns the start of the run of matching lines that ends at `end`, the start of a line or the end of the text. */
function above(text: string, end: number, isOne: (line: string) => boolean): number {
  for (let start = end; ; ) {
    const before = start === 0 ? 0 : lineStart(text, start - 1)
    if (start === 0 || !isOne(text.slice(before, start))) return start
    start = before
  }
}

/** Returns the end of the run of matching lines that begins at `start`. */
function below(text: string, start: number, isOne: (line: string) => boolean): number {
  for (let end = start; ; ) {
    const next = nextLine(text, end)
    if (end === text.length || !isOne(text.slice(end, next))) return end
    end = next
  }
}

/** Returns the start of the comment directly above a line, without a blank line between; otherwise of the line itself. */
export const withCommentAbove = (text: string, line_start: number): number =>
  above(text, line_start, isComment)

/** Returns the end of a comment below a line that a blank line or the end follows. A comment directly above a header belongs to the header. */
export function withCommentBelow(text: string, line_start: number): number {
  const end = below(text, line_start, isComment)
  return isBlank(text.slice(end, nextLine(text, end))) ? end : line_start
}

/** Returns the end of the blank lines that begin at `start`. */
export const afterBlankLines = (text: string, start: number): number => below(text, start, isBlank)

/** Returns the start of the blank lines that end at `end`, the start of a line or the end of the text. */
export const beforeBlankLines = (text: string, end: number): number => above(text, end, isBlank)

/** A replacement of the characters from one position to another. */
export type Splice = readonly [from: number, to: number, by: string]

/** Applies splices to a text. Removals may overlap. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let result = ''
  let at = 0
  for (const [from, to, by] of splices.toSorted(([one], [other]) => one - other)) {
    result += text.slice(at, Math.max(at, from)) + by
    at = Math.max(at, to)
  }
  return result + text.slice(at)
}
