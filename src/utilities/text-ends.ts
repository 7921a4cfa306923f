// The ends of texts: what repeats there is cut off. A regular expression such as `/x+$/` takes the square of a run's length.

/** A text without the copies of a character that it ends with. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}
