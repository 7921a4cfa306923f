// Stamps of files, by which a change is noticed, and the interval at which one looks.
import { stat } from 'node:fs/promises'

/** A stamp that changes whenever the file does, or who may read it; empty where there is no file. */
export async function stampOf(path: string): Promise<string> {
  try {
    // The time of the last change of mode or owner, too: a file that could not be read is read once it can be.
    const { mtimeNs, ctimeNs, size, ino } = await stat(path, { bigint: true })
    return `${mtimeNs} ${ctimeNs} ${size} ${ino}`
  } catch {
    // The file is not there, or cannot be looked at: reading it reports why.
    return ''
  }
}

/** Runs `task` repeatedly, never twice at once, without keeping the process alive. */
export async function repeat(
  task: () => Promise<void>,
  interval_ms: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await new Promise<void>((resolve) => setTimeout(resolve, interval_ms).unref())
    if (!signal.aborted) await task()
  }
}
