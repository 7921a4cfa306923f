// JSON in another gateway's columns and settings, some of it written by hand.

/** @returns undefined for invalid JSON */
export function parseSourceJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined
    throw thrown
  }
}
