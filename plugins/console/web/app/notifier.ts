// A list of listeners, for state outside of React.

/** Creates a list of listeners. `on` adds one, and returns the function that removes it. */
export function createNotifier<Change = void>() {
  const listeners = new Set<(change: Change) => void>()
  return {
    notify(change: Change): void {
      for (const listen of listeners) listen(change)
    },
    on(listen: (change: Change) => void): () => void {
      listeners.add(listen)
      return () => void listeners.delete(listen)
    },
  }
}
