// What was thrown, in words.

/** The message of an error; of anything else, its text. Throws nothing, whatever a plugin has thrown. */
export function messageOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown)
  } catch {
    // A plugin's own error may throw when it is read; that it was thrown is what counts.
    return 'what was thrown cannot be read'
  }
}
