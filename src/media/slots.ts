// Owns the bound on how many tasks of a kind run at once. Pure.

/** Runs a task when a slot is free, in the order of asking; the slot is freed however the task ends. */
export type RunInSlot = <T>(task: () => Promise<T>) => Promise<T>

/** @param limit how many tasks may run at once */
export function createSlots(limit: number): RunInSlot {
  let running = 0
  const waiting: (() => void)[] = []

  return async (task) => {
    if (running < limit) running += 1
    // Whoever finishes hands his slot on, so that nobody who comes later can take it in between.
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
