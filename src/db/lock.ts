// The lock of a data folder: only one process serves it, because a second one would expire the holds of the first.
import { Database, SQLiteError } from 'bun:sqlite'
import { createForOwner } from './folder.ts'

/**
 * Takes the lock of a data folder. The system releases it when the process ends, in whichever way.
 *
 * @param path the lock's own file; created where it is absent
 * @returns a function that releases the lock, or undefined while another process holds it
 * @throws SQLiteError when the file cannot be opened or locked for another reason
 */
export function takeLock(path: string): (() => void) | undefined {
  createForOwner(path)
  const lock = new Database(path, { create: true })
  try {
    lock.run('PRAGMA busy_timeout = 0')
    lock.run('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
  return () => lock.close()
}
