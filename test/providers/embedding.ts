// Simulated embeddings: a text determines its vector, and texts with shared words have close vectors.

/** The number of places of a vector that a word adds to. */
const PLACES = 8
const WORD = /[\p{L}\p{N}]+/gu

/**
 * A vector of unit length (feature hashing: every word adds to a few places, which its hash chooses).
 *
 * @param dimensions at least 1
 */
export function embed(text: string, dimensions: number): number[] {
  const vector = new Array<number>(dimensions).fill(0)
  for (const word of text.toLowerCase().match(WORD) ?? []) add(vector, word, 1)
  // This keeps vectors above zero, and those of different texts apart.
  add(vector, `\n${text}`, 0.1)
  return toUnitLength(vector)
}

function add(vector: number[], feature: string, weight: number): void {
  for (let place = 0; place < PLACES; place++) {
    const hash = Number(Bun.hash.crc32(`${place}\n${feature}`))
    const at = (hash >>> 1) % vector.length
    vector[at] = (vector[at] ?? 0) + (hash % 2 === 0 ? weight : -weight)
  }
}

/** Scaled to length 1; a zero vector, where places cancelled out, becomes the first unit vector. */
function toUnitLength(vector: readonly number[]): number[] {
  const length = Math.hypot(...vector)
  return length === 0 ? vector.map((_, at) => (at === 0 ? 1 : 0)) : vector.map((value) => value / length)
}
