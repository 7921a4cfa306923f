// Replacement of an executable, which stays beside the new one. A start at any moment, even after a power failure, runs one of the two.
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
/** A download takes minutes: a folder that is a day old belongs to a killed process. */
const ABANDONED_MS = 86_400_000

export const keptPath = (executable: string): string => `${executable}.before`

/**
 * Creates a folder beside the executable, on the same disk; disposal removes it. Removes folders of killed upgrades.
 * @param now_ms the current time
 */
export function createWorkFolder(executable: string, now_ms: number): { path: string } & Disposable {
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
 * Replaces `executable` with `staged`, keeps its mode and owner, and keeps the previous file at `keptPath`.
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
    // Ignored: file systems without links, or with protection of other users' files. If the copy fails too, it throws.
    copyFileSync(from, to)
  }
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  using _closing = atEnd(() => closeSync(folder))
  fsyncSync(folder)
}
