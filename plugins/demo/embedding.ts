// Made-up embeddings: vectors that are close to each other where texts share words.
import { Refused } from './ask.ts'

/** The places of a vector that a word adds to. */
const PLACES = 8
const MAX_DIMENSIONS = 3_072

/** A vector of unit length: each word adds to a few places, which its hash chooses. */
export function embed(text: string, dimensions: number): number[] {
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > MAX_DIMENSIONS)
    throw new Refused(400, "Invalid value for 'dimensions'.", 'dimensions')
  const vector = new Array<number>(dimensions).fill(0)
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  for (const word of words) add(vector, word, 1)
  // So that no vector is zero, and no two texts have the same one.
  add(vector, `\n${text}`, 0.1)
  const length = Math.hypot(...vector)
  return length === 0 ? vector.map((_, at) => (at === 0 ? 1 : 0)) : vector.map((value) => value / length)
}

function add(vector: number[], feature: string, weight: number): void {
  for (let place = 0; place < PLACES; place++) {
    const hash = Number(Bun.hash.crc32(`${place}\n${feature}`))
    const at = (hash >>> 1) % vector.length
    vector[at] = (vector[at] ?? 0) + (hash % 2 === 0 ? weight : -weight)
  }
}
