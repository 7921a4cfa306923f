// The end of a turn of the event loop: long work on it stops here, so that calls go on between its parts.

/** Resolves once everything else that waits has had its turn. */
export const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
