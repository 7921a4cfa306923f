// An executable put in the place of another one, which stays beside it: whoever starts it meanwhile, or after a power failure, has the one or the other.
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { atEnd } from '../../src/utilities/at-end.ts'

const PREFIX = '.tollgate-upgrade-'
const MODE_BITS = 0o777
/** A download takes minutes: what is a day old was left by a process that was killed. */
const ABANDONED_MS = 86_400_000

export const keptPath = (executable: string): string => `${executable}.before`

/**
 * A folder beside the executable, on its disk, which goes at the end of the block. Removes what killed upgrades left.
 * @param now_ms of the clock
 */
export function workFolder(executable: string, now_ms: number): { path: string } & Disposable {
  const folder = dirname(executable)
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(PREFIX)) continue
    const left = join(folder, name)
    const { mtimeMs = now_ms } = lstatSync(left, { throwIfNoEntry: false }) ?? {}
    if (now_ms - mtimeMs > ABANDONED_MS) rmSync(left, { recursive: true, force: true })
  }
  const path = mkdtempSync(join(folder, PREFIX))
  return { path, ...atEnd(() => rmSync(path, { recursive: true, force: true })) }
}

/**
 * Puts `staged` in the place of `executable`, with its mode and owner, and keeps the one that was there as `keptPath`.
 * @param staged on the same disk, synced
 */
export function replaceExecutable(executable: string, staged: string): void {
  const { mode, uid, gid } = statSync(executable)
  chmodSync(staged, mode & MODE_BITS)
  if (process.geteuid?.() === 0) chownSync(staged, uid, gid)
  const kept = `${staged}.before`
  linkOrCopy(executable, kept)
  renameSync(kept, keptPath(executable))
  renameSync(staged, executable)
  syncFolder(dirname(executable))
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    // Dropped: a file system without links, or one that protects those of others' files. What fails here, too, is thrown.
    copyFileSync(from, to)
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  using _closing = atEnd(() => closeSync(folder))
  fsyncSync(folder)
}
