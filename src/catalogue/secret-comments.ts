// Secrets in the comments of the catalogue file: those that stand with a secret are hidden whole, of others what looks like one.
import {
  isMask,
  isReference,
  maskOf,
  providerOf,
  referencePlacesIn,
  secretPlacesIn,
} from './secret-places.ts'
import type { Splice } from './toml-lines.ts'
import type { Places, Written } from './toml-places.ts'

/** A comment that is hidden whole. */
interface HiddenComment {
  range: Places['comments'][number]['range']
  /** As it is written, and its mask. */
  written: string
  mask: string
}

const MASK_COMMENT = /^# (hidden:[\w-]{8})$/
/** Whether a comment is the mark of one that is hidden whole. */
export const isMaskComment = (comment: string): boolean => MASK_COMMENT.test(comment)

/**
 * The comments on the lines of a secret, or of a mark in its place: behind it, between those of a list or table, above it, and right
 * below. They may name its owner, or hold the key before it.
 */
export function commentsOfSecrets(places: Places): HiddenComment[] {
  const lines = linesWithComments(places, secretPlacesIn(places))
  return places.comments.flatMap(({ loc, range }) => {
    if (!lines.has(loc.start.line)) return []
    const written = places.text.slice(...range)
    if (written.replaceAll('#', '').trim() === '') return []
    const mask = isMaskComment(written) ? written : `# ${maskOf(written)}`
    return { range, written, mask }
  })
}

/** The lines of the settings in which values stand. */
function linesOf(places: Places, values: readonly Written[]): Set<number> {
  const lines = new Set<number>()
  for (const { path, node } of values) {
    const whole = places.writtenAt(path.slice(0, providerOf(path) === undefined ? 2 : 3))?.node ?? node
    const { start, end } = whole.loc
    if (!lines.has(start.line) || !lines.has(end.line))
      for (let line = start.line; line <= end.line; line += 1) lines.add(line)
  }
  return lines
}

/** The same, with the comments right below, and those above, also across empty lines. */
function linesWithComments(places: Places, values: readonly Written[]): Set<number> {
  const { text, comments } = places
  const lines = linesOf(places, values)
  const rows = text.split('\n')
  const alone = comments
    .filter(({ loc }) => (rows[loc.start.line - 1] ?? '').trimStart().startsWith('#'))
    .map(({ loc }) => loc.start.line)
  for (const line of alone) if (lines.has(line - 1)) lines.add(line)
  for (const line of alone.toReversed()) {
    let next = line + 1
    while (next <= rows.length && rows[next - 1]?.trim() === '') next += 1
    if (lines.has(next)) lines.add(line)
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
/** The same beside a reference, which often has taken the place of what the comment names. */
const WORD_BESIDE_REFERENCE = /(?<!\b(?:env|file):)\b[\w+/=.-]{7,}/g

/**
 * The replacements for words that look like secrets in comments: in commented-out keys and headers, also over several lines, and
 * beside values that name a variable.
 *
 * @param whole where comments begin that are hidden whole
 */
export function hiddenInComments(places: Places, whole: ReadonlySet<number>): Splice[] {
  const { text, comments } = places
  const references = referencePlacesIn(places)
  const of_reference = linesOf(places, references)
  const near_reference = linesWithComments(places, references)
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
    const may_hold_key = is_long || SENSITIVE.test(line) || in_headers || (is_open && !SETTING.test(line))
    is_open = may_hold_key && opensMore(line, is_open)
    if (whole.has(range[0])) return []
    const comment = text.slice(...range)
    const words = near_reference.has(at + 1) ? WORD_BESIDE_REFERENCE : LONG_WORD
    if (may_hold_key || of_reference.has(at + 1)) return [[...range, hideIn(comment, words)]]
    return near_reference.has(at + 1) ? [[...range, hideWords(comment, words)]] : []
  })
}

/** Whether a list or table goes on after a line. */
function opensMore(line: string, is_open: boolean): boolean {
  const bare = line.replace(QUOTED, '')
  const opened = (bare.match(/[[{]/g) ?? []).length + (is_open ? 1 : 0)
  return opened > (bare.match(/[\]}]/g) ?? []).length
}

/** Quoted texts, and between them words that look like a secret. */
function hideIn(comment: string, words: RegExp): string {
  let from = 0
  const parts: string[] = []
  for (const { 0: quoted, index } of comment.matchAll(QUOTED)) {
    parts.push(hideWords(comment.slice(from, index), words), hideQuoted(quoted))
    from = index + quoted.length
  }
  return [...parts, hideWords(comment.slice(from), words)].join('')
}

const hideWords = (text: string, words: RegExp): string =>
  text.replace(words, (word) => (/\d/.test(word) && /[A-Za-z]/.test(word) ? maskOf(word) : word))

function hideQuoted(quoted: string): string {
  const text = quoted.slice(1, -1)
  return text.trim() === '' || isReference(text) || isMask(text) ? quoted : `"${maskOf(text)}"`
}
