// The simulator's tokenizer: not a real model's, but its counts are plausible and add up.

/** Up to six characters of a word, with the white space before it. */
const TOKEN = /\s*\S{1,6}|\s+/gu

/** Splits a text into tokens; joined, they are the text. */
export function tokenize(text: string): string[] {
  return text.match(TOKEN) ?? []
}

export function countTokens(text: string): number {
  return tokenize(text).length
}
