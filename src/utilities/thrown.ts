// A thrown value, in words.

/** The message of an error; of anything else, its text. Throws nothing, whatever a plugin has thrown. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    // A plugin's own error may throw when it is read; that it was thrown is what counts.
    return 'what was thrown cannot be read'
  }
}

/** The code of an error of the system or of SQLite, such as `ENOENT`; empty for anything else. */
export const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code ?? '') : ''
