// Owns the simulator's tokenizer: not a vendor's, but one whose counts look true and add up.

/** A token is up to six characters of a word, with the white space before it. */
const TOKEN = /\s*\S{1,6}|\s+/gu

/** Cuts a text into tokens; joined, they are the text. */
export function tokenize(text: string): string[] {
  return text.match(TOKEN) ?? []
}

export function countTokens(text: string): number {
  return tokenize(text).length
}
