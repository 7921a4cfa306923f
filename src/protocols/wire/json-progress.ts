// The progress of a JSON object or list that arrives in pieces: whether it is complete, without storing its text.
import {
  BACKSLASH,
  CLOSING_BRACE,
  CLOSING_BRACKET,
  OPENING_BRACE,
  OPENING_BRACKET,
  QUOTE,
} from './json-bytes.ts'

const SPACE = 32

export class JsonProgress {
  has_started = false
  #depth = 0
  #in_string = false
  #is_escaped = false
  #is_lost = false

  /** Whether the object or list has ended: only white space may follow. */
  get is_complete(): boolean {
    return this.has_started && this.#depth === 0 && !this.#in_string && !this.#is_lost
  }

  /** Gives up tracking: pieces pass unread, or the text is not JSON. */
  lose(): void {
    this.has_started = true
    this.#is_lost = true
  }

  /** @returns false for text after the end */
  add(piece: string): boolean {
    if (this.#is_lost) return true
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at)
      if (this.#in_string) this.#addToString(code)
      else if (code <= SPACE) continue
      else if (this.is_complete) return false
      else if (!this.has_started && code !== OPENING_BRACE && code !== OPENING_BRACKET) {
        this.lose()
        return true
      } else this.#addOutside(code)
    }
    return true
  }

  #addToString(code: number): void {
    if (this.#is_escaped) this.#is_escaped = false
    else if (code === BACKSLASH) this.#is_escaped = true
    else if (code === QUOTE) this.#in_string = false
  }

  #addOutside(code: number): void {
    this.has_started = true
    if (code === QUOTE) this.#in_string = true
    else if (code === OPENING_BRACE || code === OPENING_BRACKET) this.#depth++
    else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) this.#depth--
  }
}
