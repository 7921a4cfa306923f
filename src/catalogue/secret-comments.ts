// Secrets in comments of the catalogue file: comments beside a secret are hidden wholly, in others words that look like a secret.
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

/** A wholly hidden comment. */
interface HiddenComment {
  range: Places['comments'][number]['range']
  /** The original comment, and its mask. */
  written: string
  mask: string
}

const MASK_COMMENT = /^# (hidden:[\w-]{8})$/
/** Whether a comment is the mask of a wholly hidden one. */
export const isMaskComment = (comment: string): boolean => MASK_COMMENT.test(comment)

/**
 * Returns the comments beside a secret or its mask: after it, between those of a list or table, above it, and directly
 * below. They may name its owner, or contain a former key.
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

/** Returns the lines of the settings that contain values. */
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

/** Returns these lines with the comments directly below, and those above, also across empty lines. */
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

/** Quoted text on one line. An unclosed one extends to the end, so that matching is linear, and no part of a secret stays visible. */
const QUOTED = /"(?:\\.|[^"\\])*\\?(?:"|$)|'[^']*'/g
/** A key whose value is a secret, or a table of secrets. */
const SENSITIVE =
  /(api.?keys?|headers|authorization|secret|token|password|passphrase|access_key_id|webhook_url|database|[\w-]-key)["']?\s*=|private_key["']?\s*[:=]/i
const HEADERS = /^\s*(?:#+\s*)?\[[^\]=]*headers[^\]=]*\]/i
/** In a longer line all quoted text is hidden, since these patterns take quadratic time. */
const MAX_LINE_CHARS = 1_000
/** The beginning of another block or setting. */
const BLOCK = /^\s*(?:#+\s*)?\[+[\w."-]+\]+\s*$/
const SETTING = /^\s*(?:#+\s*)?[\w."-]+\s*=/

/** An unquoted long word of letters and digits. */
const LONG_WORD = /(?<!\benv:)\b[\w+/=.-]{12,}/g
/** A shorter limit beside a reference to a variable, which has often replaced a secret in the comment. */
const WORD_BESIDE_REFERENCE = /(?<!\b(?:env|file):)\b[\w+/=.-]{7,}/g

/**
 * Returns replacements for words that look like secrets in comments: in commented-out keys and headers, also over several lines, and
 * beside values that name a variable.
 *
 * @param whole the start positions of wholly hidden comments
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

/** Whether a list or table continues after a line. */
function opensMore(line: string, is_open: boolean): boolean {
  const bare = line.replace(QUOTED, '')
  const opened = (bare.match(/[[{]/g) ?? []).length + (is_open ? 1 : 0)
  return opened > (bare.match(/[\]}]/g) ?? []).length
}

/** Hides quoted texts, and words that look like a secret between them. */
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
