// The memory budget of large requests: each reserves a share; requests over the budget queue, with a timeout.
import { rateLimited } from '../../domain/errors.ts'

/** A queued request and the memory that it needs. */
export interface Waiting {
  bytes: number
  admit(): void
}

const RETRY_AFTER_S = 5
/** Of one queue: the runtime receives 1 to 2 MB of each body that waits, whatever is read of it (`bun run attack --only many-bodies`). */
export const MAX_WAITING = 256

/**
 * Waits at the end of the queue until the request is admitted.
 * @param gone fires when the caller disconnects; its reason is then thrown
 * @param onGivenUp called when the request leaves the queue without being admitted
 * @throws GatewayError rate_limited after `wait_ms`, or at once if the queue is full
 */
export function waitIn<Entry extends Waiting>(
  line: Entry[],
  wanted: Omit<Entry, 'admit'>,
  { wait_ms, gone, onGivenUp }: { wait_ms: number; gone: AbortSignal; onGivenUp?: () => void },
): Promise<void> {
  if (line.length >= MAX_WAITING) throw tooBusy()
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const entry = { ...wanted, admit: resolve } as Entry
  const giveUp = (reason: unknown) => {
    const at = line.indexOf(entry)
    if (at >= 0) line.splice(at, 1)
    reject(reason)
    onGivenUp?.()
  }
  const leave = () => giveUp(gone.reason)
  const timer = setTimeout(() => giveUp(tooBusy()), wait_ms)
  gone.addEventListener('abort', leave, { once: true })
  line.push(entry)
  if (gone.aborted) leave()
  return promise.finally(() => {
    clearTimeout(timer)
    gone.removeEventListener('abort', leave)
  })
}

/** The refusal of a large request for want of memory. */
export const tooBusy = () =>
  rateLimited('Too many large requests are running. Retry after a moment, or send a smaller request.', {
    retry_after_s: RETRY_AFTER_S,
  })

/** The share of the budget that one request has reserved. */
interface MemoryShare {
  /** Frees all but `bytes` of it. Never grows it. */
  shrink(bytes: number): void
  /** Frees all of it. A second call does nothing. */
  release(): void
}

export interface MemoryBudget {
  /**
   * Reserves a share of the budget, at once or after earlier requests have freed theirs, in order of arrival. A request for
   * more than the whole budget is admitted when it can run alone.
   * @param gone fires when the caller disconnects; its reason is then thrown
   * @throws GatewayError rate_limited if the share is not free in time
   */
  take(bytes: number, gone: AbortSignal): Promise<MemoryShare>
}

interface MemoryBudgetOptions {
  limit_bytes: number
  /** Returns freed memory to the operating system; called for large shares, before the next request is admitted. */
  reclaim: () => void
  /** The longest time that a request waits. */
  wait_ms: number
}

/** Smaller shares are left to the runtime's own garbage collection. */
const WORTH_RECLAIMING_BYTES = 64 * 1024 * 1024

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

  return {
    async take(bytes, gone) {
      gone.throwIfAborted()
      if (waiting.length === 0 && fits(bytes)) taken_bytes += bytes
      else await waitIn(waiting, { bytes }, { wait_ms, gone, onGivenUp: admitWaiting })
      return share(bytes)
    },
  }
}
