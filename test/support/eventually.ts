// Polling with a deadline, for what nothing announces: rows, files on the disk, another process.

const POLL_MS = 5
/** What works beside the calls gets a tenth of a busy machine, and the suite makes it busy: a test's own time-out comes first. */
const DEADLINE_MS = 150_000
/** The time-out of a test that waits for such work: an archive's passphrase alone is seconds of work. */
export const BESIDE_THE_CALLS_MS = 180_000

/**
 * Waits until a condition holds.
 *
 * @param what completes "timed out before …"
 * @throws Error when it does not hold before the deadline
 */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline_ms = performance.now() + DEADLINE_MS
  while (!(await condition())) {
    if (performance.now() > deadline_ms) throw new Error(`timed out before ${what}`)
    await Bun.sleep(POLL_MS)
  }
}
