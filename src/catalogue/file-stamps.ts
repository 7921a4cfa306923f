// Changes of files: noticed by stamps when one looks, and the interval at which one does.
import { stat } from 'node:fs/promises'

/** The stamps of some files, as they were seen last. */
interface FileStamps {
  /** Takes what the files are now as seen. @param paths other files than those of before */
  take(paths?: readonly string[]): Promise<void>
  /**
   * To be asked at an interval: whether there was a change, and none has followed since it was asked last. A half-written file
   * is left alone, and so are files that are written one after the other.
   */
  haveSettled(): Promise<boolean>
}

/** As they are now. */
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

/** It changes whenever the file does, or who may read it; empty if there is no file. */
async function stampOf(path: string): Promise<string> {
  try {
    // The time of the last change of mode or owner, too: a file that could not be read is read once it can be.
    const { mtimeNs, ctimeNs, size, ino } = await stat(path, { bigint: true })
    return `${mtimeNs} ${ctimeNs} ${size} ${ino}`
  } catch {
    // The file is not there, or cannot be looked at: reading it reports why.
    return ''
  }
}

/** Runs `task` whenever the files have changed and then stood still for an interval, without keeping the process alive. */
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
