// A text that grows in pieces, such as a streamed answer. Pieces are joined only when the text is read.

/**
 * Pieces are joined at this number. In a text of a million linked pieces, each garbage collection would walk through all of them
 * and block everything else.
 */
const MAX_PIECES = 1_024

export class GrowingText {
  #joined: string[] = []
  #pieces: string[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  add(piece: string): void {
    this.#length += piece.length
    this.#pieces.push(piece)
    if (this.#pieces.length < MAX_PIECES) return
    this.#joined.push(this.#pieces.join(''))
    this.#pieces = []
  }

  toString(): string {
    if (this.#joined.length === 1 && this.#pieces.length === 0) return this.#joined[0] ?? ''
    const whole = this.#joined.join('') + this.#pieces.join('')
    this.#joined = [whole]
    this.#pieces = []
    return whole
  }
}
