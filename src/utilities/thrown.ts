// Text of a thrown value.

/** Returns the message of an error, or the text of another value. Never throws, even for odd values from plugins. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    // Reading a plugin's own error may throw.
    return 'the thrown value cannot be read'
  }
}

/** Returns the code of a system or SQLite error, such as `ENOENT`; otherwise an empty text. */
export const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code ?? '') : ''
