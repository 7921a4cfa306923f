// What a call releases when it is over: its lease, its place, and whatever else it reserved.
import type { Lease } from '../access/limits.ts'
import type { Logger } from '../observe/log.ts'
import type { RunningCall } from './running.ts'

export interface CallScope {
  /** Tokens that the call used, for the limits; 0 until it is settled. */
  used_tokens: number
  /** Runs when the call is over, the latest first. What it throws is logged, and stops nothing else. */
  defer(release: () => void | Promise<void>): void
  /**
   * Keeps the call open beyond its handler, for an answer that streams.
   * @returns ends the call
   */
  keepOpen(): () => Promise<void>
  /** The handler is done. Ends the call, unless it was kept open. */
  handled(): Promise<void>
}

/** The scope of one call. */
export function openScope(lease: Lease, place: RunningCall, log: Logger): CallScope {
  const releases: (() => void | Promise<void>)[] = []
  let kept_open = false
  let ended = false

  async function end(): Promise<void> {
    if (ended) return
    ended = true
    for (const release of releases.reverse()) {
      try {
        await release()
      } catch (cause) {
        log.error({ cause }, 'a call could not be cleaned up')
      }
    }
    lease.release(scope.used_tokens)
    place.done()
  }

  const scope: CallScope = {
    used_tokens: 0,
    defer: (release) => void releases.push(release),
    keepOpen() {
      kept_open = true
      return end
    },
    handled: async () => {
      if (!kept_open) await end()
    },
  }
  return scope
}
