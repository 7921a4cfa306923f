// Slots: a limit on concurrent tasks. Pure.

/** Runs a task once a slot is free, in order of arrival. The slot is freed after success and failure. */
export type RunInSlot = <T>(task: () => Promise<T>) => Promise<T>

/** @param limit the number of concurrent tasks */
export function createSlots(limit: number): RunInSlot {
  let running = 0
  const waiting: (() => void)[] = []

  return async (task) => {
    if (running < limit) running += 1
    // A finished task passes its slot to the next one, so that a later task cannot take it in between.
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

/** Runs a task once its owner has a free slot. */
type RunInSlotOf<Owner> = <T>(owner: Owner, task: () => Promise<T>) => Promise<T>

/** @param limit the number of concurrent tasks per owner */
export function createSlotsByOwner<Owner>(limit: number): RunInSlotOf<Owner> {
  const slots = new Map<Owner, { run: RunInSlot; tasks: number }>()

  return async (owner, task) => {
    const own = slots.get(owner) ?? { run: createSlots(limit), tasks: 0 }
    slots.set(owner, own)
    own.tasks += 1
    try {
      return await own.run(task)
    } finally {
      own.tasks -= 1
      if (own.tasks === 0) slots.delete(owner)
    }
  }
}
