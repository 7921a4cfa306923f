// Slots: a limit on how many tasks run at once. Pure.

/** Runs a task once a slot is free, first come, first served; the slot is freed whether the task succeeds or fails. */
export type RunInSlot = <T>(task: () => Promise<T>) => Promise<T>

/** @param limit how many tasks may run at once */
export function createSlots(limit: number): RunInSlot {
  let running = 0
  const waiting: (() => void)[] = []

  return async (task) => {
    if (running < limit) running += 1
    // A finished task hands its slot to the next one, so that a later task cannot take it in between.
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
