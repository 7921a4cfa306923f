// A value that is made when it is first used: what most processes never need takes neither time nor memory of them.

/** @param make is called at the first use, and again after a failure @returns gives the one value that was made */
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
