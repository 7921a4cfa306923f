// The check that an open database's files are still where they were opened. SQLite does not check this, and would continue to
// write into files that were renamed or deleted.
import { type Stats, statSync } from 'node:fs'

interface PlaceWatch {
  /** Why nothing may be written, in words for anyone; undefined while all files are in place. */
  readonly trouble: string | undefined
  stop(): void
}

/** A write checks again if the last check is older than this. */
const MAX_AGE_MS = 50
/** The interval of checks without writes, so that a missing file is still reported. */
const CHECK_MS = 500

const FILES = [
  ['', 'the database file'],
  ['-wal', "the database's write-ahead log (-wal)"],
  ['-shm', "the database's shared memory (-shm)"],
] as const

interface OpenedFile {
  name: string
  path: string
  opened: Pick<Stats, 'dev' | 'ino'>
}

/**
 * Checks before writes, at most twenty times a second, and twice a second on its own. Does not keep the process alive.
 *
 * @param path an open database, in WAL mode
 * @param onChange called when a file is missing or replaced, and when all are back
 */
export function watchPlace(path: string, onChange: (trouble: string | undefined) => void): PlaceWatch {
  const files = FILES.flatMap(([ending, name]): OpenedFile[] => {
    const opened = statSync(path + ending, { throwIfNoEntry: false })
    return opened ? [{ name, path: path + ending, opened }] : []
  })
  let trouble: string | undefined
  let checked_ms = performance.now()
  const check = () => {
    checked_ms = performance.now()
    const found = troubleOf(files)
    if (found === trouble) return
    trouble = found
    onChange(trouble)
  }
  const timer = setInterval(check, CHECK_MS)
  timer.unref()
  return {
    get trouble() {
      if (performance.now() - checked_ms >= MAX_AGE_MS) check()
      return trouble
    },
    stop() {
      clearInterval(timer)
      checked_ms = Number.POSITIVE_INFINITY
    },
  }
}

/**
 * Takes about 10 µs, even on a slow disk: a file system keeps the metadata of open files in memory. Network file systems, which may
 * block, cannot have a write-ahead log (https://sqlite.org/wal.html).
 */
function troubleOf(files: readonly OpenedFile[]): string | undefined {
  for (const { name, path, opened } of files) {
    try {
      const found = statSync(path, { throwIfNoEntry: false })
      if (!found) return `${name} is missing: put it back, or stop the gateway and restore a backup`
      if (found.dev !== opened.dev || found.ino !== opened.ino)
        return `${name} was replaced while the gateway ran: put the former one back, or restart the gateway`
    } catch {
      // The reason is dropped: the operator sees it when looking at the folder.
      return 'the data folder cannot be read'
    }
  }
  return undefined
}
