// Secrets in the comments of the catalogue file: those that stand with a secret are hidden whole, of others what looks like one.
import { isReference, isShown, providerOf, secretPlacesIn, shownFor } from './secret-places.ts'
import type { Places } from './toml.ts'
import type { Splice } from './toml-lines.ts'

/** A comment that is hidden whole. */
export interface HiddenComment {
  range: Places['comments'][number]['range']
  /** As it is written, and what is shown in its place. */
  written: string
  shown: string
}

const SHOWN_COMMENT = /^# (hidden:[\w-]{8})$/
/** Whether a comment is the mark of one that is hidden whole. */
export const isShownComment = (comment: string): boolean => SHOWN_COMMENT.test(comment)

/**
 * The comments on the lines of a secret, or of a mark in its place: behind it, between those of a list or table, and right above.
 * They may name its owner, or hold the key before it.
 */
export function commentsOfSecrets(places: Places): HiddenComment[] {
  const { text, comments } = places
  const lines = secretLines(places)
  return comments.toReversed().flatMap(({ loc, range }) => {
    const { line } = loc.start
    const is_alone = text.slice(text.lastIndexOf('\n', range[0] - 1) + 1, range[0]).trim() === ''
    if (!lines.has(line) && !(is_alone && lines.has(line + 1))) return []
    lines.add(line)
    const written = text.slice(...range)
    if (written.replaceAll('#', '').trim() === '') return []
    const shown = isShownComment(written) ? written : `# ${shownFor(written)}`
    return { range, written, shown }
  })
}

function secretLines(places: Places): Set<number> {
  const lines = new Set<number>()
  for (const { path, node } of secretPlacesIn(places)) {
    const whole = places.writtenAt(path.slice(0, providerOf(path) === undefined ? 2 : 3))?.node ?? node
    const { start, end } = whole.loc
    if (!lines.has(start.line) || !lines.has(end.line))
      for (let line = start.line; line <= end.line; line += 1) lines.add(line)
  }
  return lines
}

/** On one line. A text that is not closed goes to the end: so each character is looked at once, and nothing of a secret stays. */
const QUOTED = /"(?:\\.|[^"\\])*\\?(?:"|$)|'[^']*'/g
/** A key whose value is a secret, or a table of such. */
const SENSITIVE =
  /(api.?keys?|headers|authorization|secret|token|password|passphrase|access_key_id|webhook_url|database|[\w-]-key)["']?\s*=|private_key["']?\s*[:=]/i
const HEADERS = /^\s*(?:#+\s*)?\[[^\]=]*headers[^\]=]*\]/i
/** A longer line hides all that is quoted: these patterns take a time that grows with the square of its length. */
const MAX_LINE_CHARS = 1_000
/** Begins something else: another block or setting. */
const BLOCK = /^\s*(?:#+\s*)?\[+[\w."-]+\]+\s*$/
const SETTING = /^\s*(?:#+\s*)?[\w."-]+\s*=/

/** Without quotes: long, of letters and digits. */
const LONG_WORD = /(?<!\benv:)\b[\w+/=.-]{12,}/g

/**
 * The replacements for words that look like secrets in comments: in commented-out keys and headers, also over several lines, and
 * behind values that name a variable.
 *
 * @param whole where comments begin that are hidden whole
 */
export function hiddenInComments({ text, comments }: Places, whole: ReadonlySet<number>): Splice[] {
  const by_line = new Map(comments.map(({ loc, range }) => [loc.start.line, range]))
  let is_open = false
  let in_headers = false
  return text.split('\n').flatMap((line, at): Splice[] => {
    const range = by_line.get(at + 1)
    if (!range) {
      is_open = false
      in_headers = false
      return []
    }
    const is_long = line.length > MAX_LINE_CHARS
    if (!is_long && HEADERS.test(line)) in_headers = true
    else if (!is_long && BLOCK.test(line)) in_headers = false
    const is_sensitive = is_long || SENSITIVE.test(line) || in_headers || (is_open && !SETTING.test(line))
    is_open = is_sensitive && opensMore(line, is_open)
    return is_sensitive && !whole.has(range[0]) ? [[...range, hideIn(text.slice(...range))]] : []
  })
}

/** Whether a list or table goes on after a line. */
function opensMore(line: string, is_open: boolean): boolean {
  const bare = line.replace(QUOTED, '')
  const opened = (bare.match(/[[{]/g) ?? []).length + (is_open ? 1 : 0)
  return opened > (bare.match(/[\]}]/g) ?? []).length
}

/** Quoted texts, and between them words that look like a secret. */
function hideIn(comment: string): string {
  let from = 0
  const parts: string[] = []
  for (const { 0: quoted, index } of comment.matchAll(QUOTED)) {
    parts.push(hideWords(comment.slice(from, index)), hideQuoted(quoted))
    from = index + quoted.length
  }
  return [...parts, hideWords(comment.slice(from))].join('')
}

const hideWords = (text: string): string =>
  text.replace(LONG_WORD, (word) => (/\d/.test(word) && /[A-Za-z]/.test(word) ? shownFor(word) : word))

function hideQuoted(quoted: string): string {
  const text = quoted.slice(1, -1)
  return text.trim() === '' || isReference(text) || isShown(text) ? quoted : `"${shownFor(text)}"`
}
