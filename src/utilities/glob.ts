// Globs: patterns in which `*` matches any run of characters. They are matched piece by piece, without regular expressions.

export type TextMatcher = (text: string) => boolean

/**
 * Compiles globs once, for many texts. Their author cannot make a comparison slow: the pieces between the stars are
 * searched for one after the other, each at its first position, without backtracking. The first position suffices
 * since `*` is the only wildcard, without `?` or sets.
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

/** Whether a range of a text contains the pieces, one after the other. */
function hasInTurn(text: string, pieces: readonly string[], from: number, to: number): boolean {
  let at = from
  for (const piece of pieces) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return at <= to
}
