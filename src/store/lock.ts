// The lock of a data folder: only one process serves it, because a second one would expire the holds of the first.
import { Database, SQLiteError } from 'bun:sqlite'
import { join } from 'node:path'
import { createForOwner, refuseFolder } from './folder.ts'

/** Releases a lock; the end of a block with `using` does so, too. */
type Unlock = (() => void) & Disposable

/** Commands that work on a stopped folder hold its lock for less than this, except for a move or a restore of all data. */
export const MAX_COMMAND_MS = 1_000

/** Takes the lock of the gateway that serves a folder, and waits for a command that holds it for a moment. As `takeLock`. */
export const takeServeLock = (dir: string, wait_ms = MAX_COMMAND_MS): Unlock | undefined =>
  takeLock(join(dir, 'serve.lock'), wait_ms)

/**
 * Takes a lock of a data folder. The system releases it when the process ends in any way.
 *
 * @param path the lock's own file; created if missing
 * @param wait_ms how long to wait for another holder; this blocks the event loop
 * @returns a function that releases the lock, or undefined while another process holds it
 * @throws Error if it is a folder; SQLiteError if the file cannot be opened or locked for another reason
 */
export function takeLock(path: string, wait_ms = 0): Unlock | undefined {
  createForOwner(path)
  refuseFolder(path)
  return lockFile(new Database(path, { create: true }), wait_ms)
}

/** Takes a lock without creating its file. Returns undefined also if the file is missing. */
export function takeExistingLock(path: string): Unlock | undefined {
  try {
    return lockFile(new Database(path, { readwrite: true }))
  } catch (error) {
    if (error instanceof SQLiteError && error.code === 'SQLITE_CANTOPEN') return undefined
    throw error
  }
}

function lockFile(lock: Database, wait_ms = 0): Unlock | undefined {
  try {
    lock.run(`PRAGMA busy_timeout = ${wait_ms}`)
    lock.run('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
  const unlock = () => lock.close()
  return Object.assign(unlock, { [Symbol.dispose]: unlock })
}
