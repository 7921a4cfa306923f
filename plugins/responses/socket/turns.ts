// Turns of the event loop: work that may come to nothing, done in steps, so many a turn, so that everybody else is served in between.

/** Something with work to do. */
interface Worker {
  /** Does one piece of work. @returns whether there is more */
  step(): boolean
}

export interface Turns {
  /** The worker has work: it does a step at once where this turn has room for one, and goes on in later turns. */
  add(worker: Worker): void
}

interface TurnsOptions {
  /** Of all workers together in one turn; each does at most one. */
  max_steps: number
  /** Runs something in the next turn, after whatever came in meanwhile. */
  nextTurn?: (run: () => void) => unknown
}

/** Turns in which nobody works yet. */
export function createTurns({ max_steps, nextTurn = setImmediate }: TurnsOptions): Turns {
  /** The one that waits the longest comes first. */
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
      // All behind a worker that did its step came back after it.
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
