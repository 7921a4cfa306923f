// Lazy values: a value that most processes do not need costs them neither time nor memory.

/** @param make called at the first use, and again after a failure @returns a function that returns the created value */
export function atFirstUse<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((failure: unknown) => {
      made = undefined
      throw failure
    })
    return made
  }
}
