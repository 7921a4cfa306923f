// Polling with a deadline, for state without events: rows, files on disk, another process.

/** Waits a tenth of the elapsed time between checks, because a check costs CPU that the awaited work needs. */
const MIN_POLL_MS = 5
const MAX_POLL_MS = 40
const POLL_SHARE = 0.1
/** Background work gets a tenth of a busy machine, so this is long; the time-out of the test comes first. */
const DEADLINE_MS = 150_000
/** The time-out of a test that waits for such work: an archive's passphrase alone is seconds of work. */
export const BACKGROUND_TIMEOUT_MS = 180_000

/**
 * Waits until a condition holds.
 * @param what completes "timed out before …"
 * @throws Error when it does not hold before the deadline
 */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const began_ms = performance.now()
  while (!(await condition())) {
    const waited_ms = performance.now() - began_ms
    if (waited_ms > DEADLINE_MS) throw new Error(`timed out before ${what}`)
    await Bun.sleep(Math.min(Math.max(waited_ms * POLL_SHARE, MIN_POLL_MS), MAX_POLL_MS))
  }
}

/** Repeats work until it no longer throws, such as a request to a server that is starting. */
export const retryUntilDone = (what: string, work: () => Promise<unknown>): Promise<void> =>
  eventually(what, () =>
    work().then(
      () => true,
      () => false,
    ),
  )
