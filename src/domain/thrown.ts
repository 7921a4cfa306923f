// What was thrown, in words.

/** The message of an error; of anything else, its text. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown)
