// Waiting for another process's write lock without blocking: work is tried again with growing pauses.
import type { Database } from 'bun:sqlite'
import { StorageFailure } from '../domain/storage-failure.ts'
import type { Awaitable } from './db.ts'
import { storageFailureOf } from './engines/sqlite/failure.ts'

/** How long a write waits for another process's write lock before it fails as `busy`. */
export const MAX_BUSY_WAIT_MS = 5_000

const FIRST_PAUSE_MS = 1
const MAX_PAUSE_MS = 25

/** From now on a statement that finds the database locked fails at once: `untilFree` waits, and the thread goes on. */
export const neverBlock = (db: Database): void => void db.run('PRAGMA busy_timeout = 0')

export function isBusy(thrown: unknown): boolean {
  const failure = storageFailureOf(thrown)
  return failure instanceof StorageFailure && failure.trouble === 'busy'
}

/** The growing pauses between two tries, as SQLite's own busy handler makes them: 1, 2, 4, … 25 ms. */
export function* pauses(): Generator<number, never> {
  for (let pause_ms = FIRST_PAUSE_MS; ; pause_ms = Math.min(pause_ms * 2, MAX_PAUSE_MS)) yield pause_ms
}

/**
 * Does work again as long as it comes to nothing for want of the lock.
 *
 * @param isBusy whether it came to nothing for that @returns what the last try came to
 */
export async function againWhile<T>(
  isBusy: (result: T) => boolean,
  work: () => Awaitable<T>,
  wait_ms: number,
): Promise<T> {
  const due_ms = performance.now() + wait_ms
  for (const pause_ms of pauses()) {
    const result = await work()
    if (!isBusy(result) || performance.now() + pause_ms > due_ms) return result
    await Bun.sleep(pause_ms)
  }
  throw new Error('unreachable: the pauses never end')
}

/**
 * Runs work on a connection that never blocks, until the write lock is to be had.
 *
 * @param work is run again from its beginning: a single statement, or one transaction
 * @throws what `work` throws; StorageFailure `busy` where the lock was not to be had in time
 */
export async function untilFree<T>(work: () => Awaitable<T>, wait_ms = MAX_BUSY_WAIT_MS): Promise<T> {
  const done = await againWhile<{ value: T } | { thrown: unknown }>(
    (tried) => 'thrown' in tried && isBusy(tried.thrown),
    async () => {
      try {
        return { value: await work() }
      } catch (thrown) {
        return { thrown }
      }
    },
    wait_ms,
  )
  if ('thrown' in done) throw done.thrown
  return done.value
}
