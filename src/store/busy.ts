// Waiting for another process's write lock without blocking: work is retried after growing pauses.
import type { Database } from 'bun:sqlite'
import { StorageFailure } from '../domain/storage-failure.ts'
import type { Awaitable } from './db.ts'
import { storageFailureOf } from './engines/sqlite/failure.ts'

/** How long a write waits for another process's write lock before it fails as `busy`. */
export const MAX_BUSY_WAIT_MS = 5_000

const FIRST_PAUSE_MS = 1
const MAX_PAUSE_MS = 25

/** Makes statements fail at once if the database is locked: `untilFree` waits instead, without blocking the thread. */
export const neverBlock = (db: Database): void => void db.run('PRAGMA busy_timeout = 0')

export function isBusy(thrown: unknown): boolean {
  const failure = storageFailureOf(thrown)
  return failure instanceof StorageFailure && failure.trouble === 'busy'
}

/** Yields the growing pauses between two tries, like those of SQLite's busy handler: 1, 2, 4, … 25 ms. */
export function* pauses(): Generator<number, never> {
  for (let pause_ms = FIRST_PAUSE_MS; ; pause_ms = Math.min(pause_ms * 2, MAX_PAUSE_MS)) yield pause_ms
}

/**
 * Repeats work while the lock is missing, or until the time is over.
 *
 * @param isBusy whether a try failed for want of the lock @returns the result of the last try
 */
export async function retryWhile<T>(
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
 * Runs work on a connection that never blocks, until it gets the write lock.
 *
 * @param work runs again from its beginning: a single statement, or one transaction
 * @throws as `work`; StorageFailure `busy` if the lock was not available in time
 */
export async function untilFree<T>(work: () => Awaitable<T>, wait_ms = MAX_BUSY_WAIT_MS): Promise<T> {
  const done = await retryWhile<{ value: T } | { thrown: unknown }>(
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
