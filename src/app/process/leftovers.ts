// Leftovers of killed commands in a data folder: the next start or command removes them, unless a process still uses them.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { takeLock } from '../../store/lock.ts'
import { removeAbandonedWork } from '../../store/work-folder.ts'
import { databaseCopyWork } from './data-paths.ts'

/** Leftovers by the lock under which they are written. */
const UNDER_LOCK: readonly { lock: string; names: RegExp }[] = [
  {
    lock: 'serve.lock',
    names:
      /^(\.restore|\.restore\.json\.unfinished|tollgate\.db\.incoming(-wal|-shm|-journal)?|tollgate\.db\.before-\d{4}\.unfinished(-journal)?|\.sync-.{6})$/,
  },
  // Written by earlier versions.
  { lock: 'backup.lock', names: /^(\.backup|backups\.json(\.unfinished)?)$/ },
]

/** Written by every running gateway, and removed only by its successor: a command that took the lock for it could keep that from starting. */
const OF_KILLED_GATEWAY = /^serve\.withdrawals(\.new)?$/

/** The catalogue's file until it is renamed, a matter of milliseconds, without a lock. */
const CATALOGUE = /^(\.[0-9a-f-]{36}\.tmp|tollgate\.toml\.[0-9a-f]{8}\.unfinished)$/
const ABANDONED_MS = 3_600_000

/** Removes leftovers. @param held the lock that the caller has @returns the removed paths */
export function removeLeftovers(dir: string, held?: 'serve.lock'): string[] {
  const names = readdirSync(dir)
  const removed = UNDER_LOCK.flatMap(({ lock, names: pattern }) => {
    const is_held = lock === held
    const left = names.filter((name) => pattern.test(name) || (is_held && OF_KILLED_GATEWAY.test(name)))
    if (left.length === 0) return []
    if (is_held) return remove(dir, left)
    using unlock = takeLock(join(dir, lock))
    return unlock ? remove(dir, left) : []
  })
  const abandoned = names.filter((name) => CATALOGUE.test(name) && isOld(join(dir, name)))
  return [...removed, ...remove(dir, abandoned), ...removeAbandonedWork(databaseCopyWork(dir))]
}

function remove(dir: string, names: readonly string[]): string[] {
  const paths = names.map((name) => join(dir, name))
  for (const path of paths) rmSync(path, { recursive: true, force: true })
  return paths
}

const isOld = (path: string): boolean => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && Date.now() - found.mtimeMs > ABANDONED_MS
}

/** Removes leftovers of other processes. A failure is ignored: the next process tries again. @returns the removed paths */
export function tidy(remove: () => string[]): string[] {
  try {
    return remove()
  } catch {
    // Dropped: such as the failure of a user with read access only.
    return []
  }
}
