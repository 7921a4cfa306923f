// The text of a PDF's content, bounded: its strings by their bytes, and what its fonts make of a byte.
// ISO 32000-1, sections 9.4.3 (text-showing operators), 9.6.6 (encodings) and 9.10.3 (ToUnicode)
import { boundText } from '../token-bound.ts'

/** What one content stream draws. */
export interface Drawn {
  /** Bytes of its strings, and one for each string: a reader may put a space or a line between two. */
  text_bytes: number
  /** Operators that draw another stream. */
  calls: number
}

const [OPEN, CLOSE, ESCAPE, LESS, GREATER, PERCENT] = [0x28, 0x29, 0x5c, 0x3c, 0x3e, 0x25]
const isSpace = (code: number | undefined): boolean => code === undefined || code <= 0x20
const [D, O, G, S, I] = [0x44, 0x6f, 0x67, 0x73, 0x49]
/** Ends of strings, of arrays and of dictionaries. */
const isBreak = (code: number | undefined): boolean =>
  isSpace(code) || code === CLOSE || code === 0x5d || code === GREATER || code === 0x7d

export function drawnBy(bytes: Uint8Array): Drawn {
  let text_bytes = 0
  let calls = 0
  for (let at = 0; at < bytes.length; at++) {
    const code = bytes[at]
    if (code === OPEN) {
      const end = endOfString(bytes, at)
      text_bytes += end - at
      at = end
    } else if (code === LESS && bytes[at + 1] !== LESS) {
      const end = indexFrom(bytes, GREATER, at)
      text_bytes += Math.ceil((end - at) / 2) + 1
      at = end
    } else if (code === LESS) at++
    else if (code === PERCENT) at = endOfLine(bytes, at)
    else if (code === D && bytes[at + 1] === O && isBreak(bytes[at - 1])) calls++
    else if (code === G && bytes[at + 1] === S && isBreak(bytes[at - 1])) calls++
    // What is in an image between operators may look like anything.
    else if (code === I && bytes[at + 1] === D && isBreak(bytes[at - 1]) && isSpace(bytes[at + 2]))
      return { text_bytes: text_bytes + bytes.length - at, calls: calls + bytes.length - at }
  }
  return { text_bytes, calls }
}

/** @returns its closing bracket, or the end */
function endOfString(bytes: Uint8Array, start: number): number {
  let depth = 0
  for (let at = start; at < bytes.length; at++) {
    const code = bytes[at]
    if (code === ESCAPE) at++
    else if (code === OPEN) depth++
    else if (code === CLOSE && --depth === 0) return at
  }
  return bytes.length
}

const indexFrom = (bytes: Uint8Array, code: number, from: number): number => {
  const at = bytes.indexOf(code, from)
  return at < 0 ? bytes.length : at
}

function endOfLine(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++) if (bytes[at] === 0x0a || bytes[at] === 0x0d) return at
  return bytes.length
}

/** A byte of Latin letters, or half of a Chinese sign. */
export const MIN_TOKENS_PER_BYTE = 1.5

/** Fonts of a thousand kinds of letters have no more. */
const MAX_CMAP_TEXTS = 200_000

/**
 * The most tokens that one byte of a text becomes by a font's table of characters.
 * @param cmap a ToUnicode stream
 * @param source_bytes the least of a character
 */
export function tokensPerByte(cmap: string, source_bytes: number): number {
  let longest = 0
  let most = 0
  let count = 0
  for (const [section] of cmap
    .replace(/%[^\r\n]*/g, ' ')
    .matchAll(/beginbf(?:char|range)[\s\S]*?(?:endbf|$)/g)) {
    // Texts as strings in round brackets: no writer does, and readers take them.
    if (section.includes('(')) return Number.POSITIVE_INFINITY
    for (const [, hex = ''] of section.matchAll(/<([^>]*)>/g)) {
      if (++count > MAX_CMAP_TEXTS) return Number.POSITIVE_INFINITY
      // A text of one sign is no more than three tokens.
      if (hex.length > 4 || hex.length > longest) most = Math.max(most, tokensOfHex(hex.replace(/\s/g, '')))
      longest = Math.max(longest, hex.length)
    }
  }
  return Math.max(MIN_TOKENS_PER_BYTE, most / source_bytes)
}

const tokensOfHex = (digits: string): number =>
  boundText(
    (digits.match(/.{4}/g) ?? []).map((code) => String.fromCharCode(Number.parseInt(code, 16))).join(''),
  )

/** Signs that no name of Latin letters stands for. */
const MAX_SIGN_TOKENS = 3
const SIGN =
  /^\/(?:afii|.*(?:hiragana|katakana|hangul|korean|bopomofo|deva|bengali|gurmukhi|gujarati|thai|arabic|hebrew|armenian))/

/**
 * The most tokens that a name of a glyph stands for: `f_f_i`, `uni00410042`.
 * https://github.com/adobe-type-tools/agl-specification
 */
export function tokensOfGlyphs(body: string): number {
  let most = 1
  for (const [, names] of body.matchAll(/\/Differences\b\s*(?:\[([^[\]]*)\])?/g)) {
    if (names === undefined) return Number.POSITIVE_INFINITY
    for (const name of names.match(/\/[^\s/]+/g) ?? []) {
      const hex = /^\/u(?:ni)?([\dA-F]{4,})/i.exec(name)?.[1]?.length ?? 0
      const signs = Math.max(Math.ceil(hex / 4), SIGN.test(name) ? 1 : 0)
      most = Math.max(most, (name.split('_').length - 1) * MAX_SIGN_TOKENS, signs * MAX_SIGN_TOKENS)
    }
  }
  return most
}
