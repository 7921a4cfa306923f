// Fair distribution of work over turns of the event loop: a limited number of steps per turn, so that other calls are served in between.

interface Worker {
  /** Does one step. @returns whether more remain */
  step(): boolean
}

export interface Turns {
  /** Adds a worker. It does a step at once if this turn has room, and the rest in later turns. */
  add(worker: Worker): void
}

interface TurnsOptions {
  /** The maximum of steps in one turn, of all workers together. Each worker does at most one. */
  max_steps: number
  /** Schedules a function for the next turn, after events that arrived meanwhile. */
  nextTurn?: (run: () => void) => unknown
}

export function createTurns({ max_steps, nextTurn = setImmediate }: TurnsOptions): Turns {
  /** In order of waiting, longest first. */
  const waiting = new Set<Worker>()
  /** Workers that did a step in this turn. */
  const stepped = new Set<Worker>()
  let is_scheduled = false

  function stepBy(worker: Worker): void {
    waiting.delete(worker)
    stepped.add(worker)
    if (worker.step()) waiting.add(worker)
  }

  function schedule(): void {
    if (is_scheduled || stepped.size + waiting.size === 0) return
    is_scheduled = true
    nextTurn(run)
  }

  function run(): void {
    is_scheduled = false
    stepped.clear()
    for (const worker of waiting) {
      // Workers after one that already did its step were added after it, so they did theirs, too.
      if (stepped.size >= max_steps || stepped.has(worker)) break
      stepBy(worker)
    }
    schedule()
  }

  return {
    add(worker) {
      if (waiting.has(worker)) return
      waiting.add(worker)
      if (stepped.size < max_steps && !stepped.has(worker)) stepBy(worker)
      schedule()
    },
  }
}
