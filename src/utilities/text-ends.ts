// Trimming of repeated characters at the end of a text. A regular expression such as `/x+$/` takes quadratic time in a run's length.

/** Removes all trailing copies of a character. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}
