// A scanner of the syntax of PDF objects: strings, comments, names and brackets. ISO 32000-1, sections 7.2 and 7.3
import { hasText } from '../audio/bytes.ts'
import { type MediaWork, Unreadable } from './work.ts'

/** The bytes of a file or of an object stream. */
interface Source {
  readonly bytes: Buffer
  /** A buffer for the kept part of an object, which is never longer than the object. */
  readonly kept: Buffer
  readonly work: MediaWork
}

export const sourceOf = (bytes: Buffer, work: MediaWork): Source => ({
  bytes,
  kept: Buffer.allocUnsafe(bytes.length),
  work,
})

interface Scanned {
  /** The object without the content of strings and comments, with unescaped names, and spaces for zero bytes. */
  body: string
  /** The keyword that ended it, undefined for the end of the bytes, and the position after it. */
  keyword: 'endobj' | 'stream' | undefined
  at: number
  comment_chars: number
}

const [OPEN, CLOSE, BACKSLASH, LESS, GREATER, PERCENT] = [0x28, 0x29, 0x5c, 0x3c, 0x3e, 0x25] as const
const [OPEN_LIST, CLOSE_LIST, HASH, SPACE, SMALL_E, SMALL_S] = [0x5b, 0x5d, 0x23, 0x20, 0x65, 0x73] as const
const [LINE_FEED, RETURN] = [0x0a, 0x0d] as const

/** Bytes with a special meaning; all others are kept unchanged. */
const IS_MARK = new Uint8Array(256)
for (const mark of [OPEN, PERCENT, LESS, GREATER, OPEN_LIST, CLOSE_LIST, HASH, SMALL_E, SMALL_S, 0])
  IS_MARK[mark] = 1

/** The work to scan a byte, to keep it, and to convert it to text. */
const STEPS_PER_BYTE = 8

/**
 * Scans an object from its beginning to its end.
 * @throws Unreadable if brackets are left open, or a stream ends that did not begin
 */
export function scanObject({ bytes, kept, work }: Source, start: number): Scanned {
  let length = 0
  let depth = 0
  let comment_chars = 0
  const ended = (keyword: Scanned['keyword'], at: number): Scanned => {
    work.spend((at - start) * STEPS_PER_BYTE)
    if (depth !== 0) throw new Unreadable()
    return { body: kept.toString('latin1', 0, length), keyword, at, comment_chars }
  }
  for (let at = start; at < bytes.length; ) {
    const code = bytes[at] ?? 0
    if (IS_MARK[code] === 0) {
      kept[length++] = code
      at++
      continue
    }
    const keyword = code === SMALL_E || code === SMALL_S ? keywordAt(bytes, at) : undefined
    if (keyword === 'endobj' || (keyword === 'stream' && depth === 0))
      return ended(keyword, at + keyword.length)
    const end = endOfMark(bytes, at, code)
    const size = end - at
    const is_text = code === OPEN || (code === LESS && bytes[at + 1] !== LESS)
    if (is_text) {
      kept[length++] = OPEN
      kept[length++] = CLOSE
    } else if (code === PERCENT) {
      kept[length++] = SPACE
      comment_chars += size
    } else if (code === HASH && size > 1) kept[length++] = hexAt(bytes, at + 1) * 16 + hexAt(bytes, at + 2)
    else for (let from = at; from < end; from++) kept[length++] = bytes[from] || SPACE
    if (code === OPEN_LIST || (code === LESS && !is_text)) depth++
    else if (code === CLOSE_LIST || code === GREATER) depth--
    at = end
  }
  return ended(undefined, bytes.length)
}

/** @throws Unreadable */
function endOfMark(bytes: Buffer, at: number, code: number): number {
  switch (code) {
    case OPEN:
      return afterString(bytes, at)
    case PERCENT:
      return endOfLine(bytes, at)
    case HASH:
      return hexAt(bytes, at + 1) >= 0 && hexAt(bytes, at + 2) >= 0 ? at + 3 : at + 1
    case LESS: {
      if (bytes[at + 1] === LESS) return at + 2
      const end = bytes.indexOf(GREATER, at)
      if (end < 0) throw new Unreadable()
      return end + 1
    }
    case GREATER:
      if (bytes[at + 1] !== GREATER) throw new Unreadable()
      return at + 2
    default:
      return at + 1
  }
}

const IS_WORD = Uint8Array.from({ length: 256 }, (_, code) => Number(/\w/.test(String.fromCharCode(code))))
const endsWord = (code: number | undefined): boolean => code === undefined || IS_WORD[code] === 0

/** @throws Unreadable if a stream ends that did not begin */
function keywordAt(bytes: Buffer, at: number): 'endobj' | 'stream' | undefined {
  if (hasText(bytes, at, 'endstream')) throw new Unreadable()
  if (hasText(bytes, at, 'endobj')) return endsWord(bytes[at + 6]) ? 'endobj' : undefined
  const is_stream = hasText(bytes, at, 'stream') && endsWord(bytes[at - 1]) && endsWord(bytes[at + 6])
  return is_stream ? 'stream' : undefined
}

/** @returns -1 if it is no hexadecimal digit */
function hexAt(bytes: Buffer, at: number): number {
  const code = bytes[at] ?? 0
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

function endOfLine(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== LINE_FEED && bytes[at] !== RETURN) at++
  return at
}

const MAX_DEPTH = 100

/** Finds the end of a string, which may contain nested parentheses. @throws Unreadable */
function afterString(bytes: Buffer, start: number): number {
  let depth = 0
  for (let at = start; at < bytes.length; at++) {
    const code = bytes[at]
    if (code === BACKSLASH) at++
    else if (code === OPEN && ++depth > MAX_DEPTH) throw new Unreadable()
    else if (code === CLOSE && --depth === 0) return at + 1
  }
  throw new Unreadable()
}
