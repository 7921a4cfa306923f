// Cleanup at the end of a block, even after an error: `using _unlocking = atEnd(unlock)`; and an undo after a failure.

/** Runs `undo` if `work` fails. @throws the error of `work`, after `undo` */
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
 * Closes the resource at the end of the block. SQLite connections use this instead of their own disposal, since that removes the
 * write-ahead log with the last connection; a read-only process would create another one and leave it behind.
 */
export const closing = <T extends { close(): void }>(opened: T): T & Disposable =>
  Object.assign(opened, { [Symbol.dispose]: () => opened.close() })

/** Handles the signals that end a process, until the block ends. */
export function onSignals(end: () => void): Disposable {
  process.on('SIGTERM', end).on('SIGINT', end)
  return atEnd(() => void process.off('SIGTERM', end).off('SIGINT', end))
}
