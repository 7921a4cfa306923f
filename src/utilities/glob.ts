// Globs: texts in which `*` stands for any run of characters. They are compared piece by piece, never by a regular expression.

export type TextMatcher = (text: string) => boolean

/**
 * Compiles globs once, for many texts. Whoever writes them cannot make a comparison long: the pieces between the stars are
 * looked for one after the other, each at its first place, and none is looked for again. That the first place is good enough
 * is why `*` alone, without `?` or sets, needs no backtracking.
 */
export function compileGlobs(globs: readonly string[]): TextMatcher {
  const texts = new Set(globs.filter((glob) => !glob.includes('*')))
  const patterns = globs.filter((glob) => glob.includes('*')).map(compileGlob)
  return (text) => texts.has(text) || patterns.some((matches) => matches(text))
}

function compileGlob(glob: string): TextMatcher {
  const pieces = glob.split('*')
  const start = pieces[0] ?? ''
  const end = pieces.at(-1) ?? ''
  const between = pieces.slice(1, -1).filter((piece) => piece !== '')
  const min_chars = pieces.reduce((chars, piece) => chars + piece.length, 0)
  return (text) =>
    text.length >= min_chars &&
    text.startsWith(start) &&
    text.endsWith(end) &&
    hasInTurn(text, between, start.length, text.length - end.length)
}

/** Whether the pieces stand in a part of a text, one after the other. */
function hasInTurn(text: string, pieces: readonly string[], from: number, to: number): boolean {
  let at = from
  for (const piece of pieces) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= to
}
