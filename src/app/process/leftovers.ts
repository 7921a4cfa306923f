// Leftovers of killed commands in a data folder: removed by the next start or command, once no process is at it.
import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { takeLock } from '../../store/lock.ts'
import { removeAbandonedWork } from '../../store/work-folder.ts'
import { databaseCopyWork } from './data-paths.ts'

/** By who writes it, under which lock. */
const UNDER_LOCK: readonly { lock: string; names: RegExp }[] = [
  {
    lock: 'serve.lock',
    names:
      /^(\.restore|\.restore\.json\.unfinished|tollgate\.db\.incoming(-wal|-shm|-journal)?|tollgate\.db\.before-\d{4}\.unfinished(-journal)?|\.sync-.{6})$/,
  },
  // Of earlier versions.
  { lock: 'backup.lock', names: /^(\.backup|backups\.json(\.unfinished)?)$/ },
]

/** Of every running gateway, so that only its successor looks at them: a command that took the lock for them could keep that from starting. */
const OF_KILLED_GATEWAY = /^serve\.withdrawals(\.new)?$/

/** The catalogue's file until it has its name, under no lock: that takes milliseconds. */
const CATALOGUE = /^(\.[0-9a-f-]{36}\.tmp|tollgate\.toml\.[0-9a-f]{8}\.unfinished)$/
const ABANDONED_MS = 3_600_000

/** Removes them. @param held the lock that the caller has @returns the paths of what was removed */
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

/** Removes what other processes left, where nothing depends on that: the next one tries again. @returns the paths */
export function tidy(remove: () => string[]): string[] {
  try {
    return remove()
  } catch {
    // Such as that of a user who may only read.
    return []
  }
}
