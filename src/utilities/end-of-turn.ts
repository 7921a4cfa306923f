// The end of a turn of the event loop: long work on it stops here, so that calls go on between its parts.

/** Resolves once everything else that waits has had its turn. */
export const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Runs work that yields, with a turn after each step. */
export async function runInTurns<T>(work: Generator<void, T>): Promise<T> {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
    await endOfTurn()
  }
}
