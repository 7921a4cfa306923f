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
const D = 0x44
const O = 0x6f

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
    else if (code === D && bytes[at + 1] === O && (isSpace(bytes[at - 1]) || bytes[at - 1] === CLOSE)) calls++
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

/** The most tokens that one byte of a text becomes by a font's table of characters. @param cmap a ToUnicode stream */
export function tokensPerByte(cmap: string): number {
  let most = MIN_TOKENS_PER_BYTE
  for (const [section] of cmap.matchAll(/beginbf(?:char|range)[\s\S]*?(?:endbf|$)/g)) {
    const sources = section.startsWith('beginbfrange') ? 2 : 1
    let source_bytes = 1
    let position = 0
    let in_array = false
    for (const [found, hex = ''] of section.matchAll(/<([\da-f\s]*)>|[[\]]/gi)) {
      if (found === '[' || found === ']') {
        in_array = found === '['
        if (!in_array) position = 0
        continue
      }
      const digits = hex.replace(/\s/g, '')
      if (in_array || position === sources) {
        most = Math.max(most, tokensOfHex(digits) / source_bytes)
        if (!in_array) position = 0
      } else {
        source_bytes = Math.max(1, digits.length / 2)
        position++
      }
    }
  }
  return most
}

const tokensOfHex = (digits: string): number =>
  boundText(
    (digits.match(/.{4}/g) ?? []).map((code) => String.fromCharCode(Number.parseInt(code, 16))).join(''),
  )

/** The most characters that a name of a glyph stands for: `f_f_i`, `uni00410042`. https://github.com/adobe-type-tools/agl-specification */
export function lettersOfGlyphs(body: string): number {
  let most = 1
  for (const [, names = ''] of body.matchAll(/\/Differences\s*\[([^\]]*)\]/g))
    for (const name of names.match(/\/[^\s/]+/g) ?? []) {
      const hex = /^\/uni([\dA-F]+)/i.exec(name)?.[1]?.length ?? 0
      most = Math.max(most, name.split('_').length, hex > 4 ? (hex / 4) * 3 : 1)
    }
  return most
}
