// Yielding to the event loop: long work pauses here, so that calls continue between its parts.

/** Resolves after all other pending work of the event loop has run. */
export const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Runs a generator, and yields to the event loop after each step. */
export async function runInTurns<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await endOfTurn()
  }
}
