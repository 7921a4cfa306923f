// Owns how much memory large requests may take together: who does not fit in waits his turn, and not for ever.
import { rateLimited } from '../domain/errors.ts'

/** A part of the budget that a request has. */
export interface MemoryShare {
  /** What was taken for reading is not needed any more; only this much is. Never grows. */
  shrink(bytes: number): void
  /** Gives all of it back. A second time does nothing. */
  release(): void
}

export interface MemoryBudget {
  /**
   * Takes a part of the budget, at once or when those before have given theirs back, in the order of asking. More than
   * the whole budget is given alone.
   *
   * @param gone fires when nobody waits for it any more; its reason is then thrown
   * @throws GatewayError rate_limited where it is not free in time
   */
  take(bytes: number, gone: AbortSignal): Promise<MemoryShare>
}

export interface MemoryBudgetOptions {
  limit_bytes: number
  /** Makes what was given back really free; called for shares that matter, before the next one gets in. */
  reclaim: () => void
  /** How long a request waits at most. */
  wait_ms: number
}

const RETRY_AFTER_S = 5

/** What is given back below this is left to the runtime's own time. */
const WORTH_RECLAIMING_BYTES = 64 * 1024 * 1024

interface Waiting {
  bytes: number
  admit: () => void
}

/** A budget of which nothing is taken. */
export function createMemoryBudget({ limit_bytes, wait_ms, reclaim }: MemoryBudgetOptions): MemoryBudget {
  const waiting: Waiting[] = []
  let taken_bytes = 0

  const fits = (bytes: number): boolean => taken_bytes === 0 || taken_bytes + bytes <= limit_bytes

  function admitWaiting(): void {
    for (let next = waiting[0]; next && fits(next.bytes); next = waiting[0]) {
      waiting.shift()
      taken_bytes += next.bytes
      next.admit()
    }
  }

  function share(bytes: number): MemoryShare {
    let held_bytes = bytes
    const shrink = (kept_bytes: number) => {
      if (kept_bytes >= held_bytes) return
      const freed_bytes = held_bytes - kept_bytes
      taken_bytes -= freed_bytes
      held_bytes = kept_bytes
      if (freed_bytes >= WORTH_RECLAIMING_BYTES) reclaim()
      admitWaiting()
    }
    return { shrink, release: () => shrink(0) }
  }

  function wait(bytes: number, gone: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const entry = { bytes, admit: resolve }
    const giveUp = (reason: unknown) => {
      const at = waiting.indexOf(entry)
      if (at >= 0) waiting.splice(at, 1)
      reject(reason)
      admitWaiting()
    }
    const leave = () => giveUp(gone.reason)
    const timer = setTimeout(() => giveUp(tooBusy()), wait_ms)
    gone.addEventListener('abort', leave, { once: true })
    waiting.push(entry)
    return promise.finally(() => {
      clearTimeout(timer)
      gone.removeEventListener('abort', leave)
    })
  }

  return {
    async take(bytes, gone) {
      gone.throwIfAborted()
      if (waiting.length === 0 && fits(bytes)) taken_bytes += bytes
      else await wait(bytes, gone)
      return share(bytes)
    },
  }
}

const tooBusy = () =>
  rateLimited('Too many large requests are under way. Retry after a moment, or send smaller images.', {
    retry_after_s: RETRY_AFTER_S,
  })
