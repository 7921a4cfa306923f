// Pieces of a stream, of about equal size.

/** Splits a list into `count` pieces of about equal size; fewer if it is too short. */
export function split(tokens: readonly string[], count: number): string[][] {
  const pieces = Math.min(Math.max(1, count), tokens.length)
  const at = (piece: number) => Math.round((piece * tokens.length) / pieces)
  return Array.from({ length: pieces }, (_, piece) => tokens.slice(at(piece), at(piece + 1)))
}

/** The same for a text; no piece ends inside a character. */
export function splitText(text: string, count: number): string[] {
  return split([...text], count).map((characters) => characters.join(''))
}
