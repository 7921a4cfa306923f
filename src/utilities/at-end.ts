// Work at the end of a block, however it ends: `using _unlocking = atEnd(unlock)`; and work that undoes what came before it where it fails.

/** @throws what `work` throws, once `undo` is done */
export async function orUndo<T>(undo: () => Promise<void>, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (refusal) {
    await undo()
    throw refusal
  }
}

export const atEnd = (end: () => void): Disposable => ({ [Symbol.dispose]: end })

/**
 * The resource is closed then. A connection to SQLite is not left to its own disposal, which removes the write-ahead log with the last one:
 * whoever may only read would make another, and leave it behind.
 */
export const closing = <T extends { close(): void }>(opened: T): T & Disposable =>
  Object.assign(opened, { [Symbol.dispose]: () => opened.close() })

/** Listens to the signals that end a process, until the block ends. */
export function onSignals(end: () => void): Disposable {
  process.on('SIGTERM', end).on('SIGINT', end)
  return atEnd(() => void process.off('SIGTERM', end).off('SIGINT', end))
}
