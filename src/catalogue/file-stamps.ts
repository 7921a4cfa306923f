// Detection of file changes by polling stamps of size, times and inode.
import { stat } from 'node:fs/promises'

/** The stamps of some files at the last check. */
interface FileStamps {
  /** Takes new stamps. @param paths replaces the watched files */
  take(paths?: readonly string[]): Promise<void>
  /**
   * Called at an interval: whether the files have changed, and not again since the last call. This skips half-written files, and
   * files that are written one after the other.
   */
  haveSettled(): Promise<boolean>
}

/** Takes the current stamps of files. */
export async function stampsOf(paths: readonly string[]): Promise<FileStamps> {
  let watched = paths
  const current = async () => (await Promise.all(watched.map(stampOf))).join('|')
  let seen = await current()
  let is_settling = false
  return {
    async take(others = watched) {
      watched = others
      seen = await current()
    },
    async haveSettled() {
      const now = await current()
      const has_settled = now === seen && is_settling
      is_settling = now !== seen
      seen = now
      return has_settled
    },
  }
}

/** Returns a stamp that changes with the file or its permissions; empty if there is no file. */
async function stampOf(path: string): Promise<string> {
  try {
    // With the time of the last change of mode or owner, so that an unreadable file is read once it is readable.
    const { mtimeNs, ctimeNs, size, ino } = await stat(path, { bigint: true })
    return `${mtimeNs} ${ctimeNs} ${size} ${ino}`
  } catch {
    // Dropped: the file is missing or inaccessible. Reading it reports the reason.
    return ''
  }
}

/** Runs `task` whenever the files have changed and stayed unchanged for an interval. The timer does not keep the process alive. */
export async function onceSettled(
  stamps: FileStamps,
  task: () => Promise<void>,
  interval_ms: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await new Promise<void>((resolve) => setTimeout(resolve, interval_ms).unref())
    if (!signal.aborted && (await stamps.haveSettled())) await task()
  }
}
