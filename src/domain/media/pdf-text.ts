// The bytes of strings in a PDF's content streams. ISO 32000-1, section 9.4.3 (text-showing operators)
import type { MediaWork } from './work.ts'

/** The text size and the calls of one content stream. */
export interface StreamText {
  /** Bytes of its strings, plus one per string, since a reader may add a space or line break between two. */
  text_bytes: number
  /** The number of operators that draw another stream. */
  calls: number
}

const [OPEN, CLOSE, ESCAPE, LESS, GREATER, PERCENT] = [0x28, 0x29, 0x5c, 0x3c, 0x3e, 0x25]
const isSpace = (code: number | undefined): boolean => code === undefined || code <= 0x20
const [D, O, G, S, I] = [0x44, 0x6f, 0x67, 0x73, 0x49]
/** Whether a byte ends a token: space, or the end of a string, an array or a dictionary. */
const isBreak = (code: number | undefined): boolean =>
  isSpace(code) || code === CLOSE || code === 0x5d || code === GREATER || code === 0x7d

const BYTE_STEPS = 5

export function readStreamText(bytes: Uint8Array, work: MediaWork): StreamText {
  work.spend(bytes.length * BYTE_STEPS)
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
    // The bytes of an inline image may look like operators, so all that follow count.
    else if (code === I && bytes[at + 1] === D && isBreak(bytes[at - 1]) && isSpace(bytes[at + 2]))
      return { text_bytes: text_bytes + bytes.length - at, calls: calls + bytes.length - at }
  }
  return { text_bytes, calls }
}

/** @returns the position of its closing parenthesis, or the end */
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
