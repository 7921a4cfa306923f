// JSON in columns and settings of another gateway, some of it written by hand.

/** @returns undefined for what is no JSON: each caller says what it makes of that */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}
