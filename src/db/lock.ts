// Owns that one process at a time serves a data folder: a second one would take the first one's holds for left behind.
import { Database } from 'bun:sqlite'

/**
 * Takes the lock of a data folder; the system lets go of it when the process ends, however it ends.
 *
 * @param path the lock's own file, made where it is absent
 * @returns what releases it, or undefined while another process has it
 */
export function takeLock(path: string): (() => void) | undefined {
  const lock = new Database(path, { create: true })
  try {
    lock.run('PRAGMA busy_timeout = 0')
    lock.run('BEGIN EXCLUSIVE')
  } catch {
    lock.close()
    return undefined
  }
  return () => lock.close()
}
