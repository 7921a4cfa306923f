// A text that grows by pieces, as a streamed answer does: its pieces are joined when it is read, not when one is added.

/**
 * So many pieces are made one. A text of a million pieces that refer to each other would otherwise be walked through by each
 * collection of garbage, and keep everyone waiting meanwhile.
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
