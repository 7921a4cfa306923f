// Errors that plugins throw outside of their hooks and routes, such as in a timer or a promise that nobody awaits: logged, and the gateway goes on.
import type { Logger } from '../../src/observe/log.ts'

const STRAY =
  'an error that nothing caught, most likely of a plugin: await its promises, and catch what its timers and listeners throw'
/** A timer of a plugin may throw a thousand times a second. */
const MIN_BETWEEN_MS = 1_000

/**
 * Has such errors in the log, where secrets are hidden, and keeps the process alive whatever the runtime's own way with them:
 * Bun 1.4.5 prints them as they are, and goes on only while the main module still waits. Only for a gateway that has plugins.
 *
 * Never undone, since plugins go on until the process ends.
 */
export function surviveStrayErrors(log: Pick<Logger, 'error'>, now: () => number): void {
  let logged_at_ms = Number.NEGATIVE_INFINITY
  let unlogged = 0
  const tell = (cause: unknown): void => {
    const now_ms = now()
    // A clock that was set back does not silence it.
    if (Math.abs(now_ms - logged_at_ms) < MIN_BETWEEN_MS) {
      unlogged += 1
      return
    }
    log.error({ cause, unlogged }, STRAY)
    logged_at_ms = now_ms
    unlogged = 0
  }
  process.on('uncaughtException', tell).on('unhandledRejection', tell)
}
