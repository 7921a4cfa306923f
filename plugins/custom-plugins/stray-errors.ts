// Uncaught errors of plugins, such as in a timer or a promise that is not awaited: they are logged, and the gateway continues.
import type { Logger } from '../../src/observe/log.ts'

const STRAY =
  'an error that nothing caught, most likely of a plugin: await its promises, and catch what its timers and listeners throw'
/** A timer of a plugin may throw a thousand times a second. */
const MIN_BETWEEN_MS = 1_000

/**
 * Logs uncaught errors, with secrets hidden, and keeps the process alive. Without it Bun 1.4.5 prints them unredacted and continues only
 * while the main module still awaits. Only for a gateway that has plugins.
 *
 * The handlers are never removed, because plugins run until the process ends.
 */
export function surviveStrayErrors(log: Pick<Logger, 'error'>, now: () => number): void {
  let logged_at_ms = Number.NEGATIVE_INFINITY
  let unlogged = 0
  const logStray = (cause: unknown): void => {
    const now_ms = now()
    // The absolute difference, so that a clock that was set back does not silence the log.
    if (Math.abs(now_ms - logged_at_ms) < MIN_BETWEEN_MS) {
      unlogged += 1
      return
    }
    log.error({ cause, unlogged }, STRAY)
    logged_at_ms = now_ms
    unlogged = 0
  }
  process.on('uncaughtException', logStray).on('unhandledRejection', logStray)
}
