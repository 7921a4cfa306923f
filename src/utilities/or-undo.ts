// Work that undoes what came before it where it fails.

/** @throws what `work` throws, once `undo` is done */
export async function orUndo<T>(undo: () => Promise<void>, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (refusal) {
    await undo()
    throw refusal
  }
}
