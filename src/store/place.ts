// The place of an open database: whether its files are still where they were opened. SQLite does not look, and would go on
// writing into files that have another name by now, or none.
import { type Stats, statSync } from 'node:fs'

interface DatabasePlace {
  /** Why nothing may be written, for anybody; undefined while all files are in their place. */
  readonly trouble: string | undefined
  stop(): void
}

/** A write gets no older answer. */
const MAX_AGE_MS = 50
/** While nothing is written a missing file is reported all the same. */
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
 * Looks before writes, at most twenty times a second, and twice a second by itself. Keeps no process alive.
 *
 * @param path of a database that is open, in WAL mode
 * @param onChange told when a file is gone, and when all are back
 */
export function watchPlace(path: string, onChange: (trouble: string | undefined) => void): DatabasePlace {
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
 * Some 10 µs, also where the disk is slow: a file system keeps what it knows of files that are open in memory. Those of a network,
 * which may keep it waiting, have no write-ahead log (https://sqlite.org/wal.html).
 */
function troubleOf(files: readonly OpenedFile[]): string | undefined {
  for (const { name, path, opened } of files) {
    try {
      const found = statSync(path, { throwIfNoEntry: false })
      if (!found) return `${name} is missing: put it back, or stop the gateway and restore a backup`
      if (found.dev !== opened.dev || found.ino !== opened.ino)
        return `${name} was replaced while the gateway ran: put the former one back, or restart the gateway`
    } catch {
      // Dropped: why. Whoever looks at the folder is told the same.
      return 'the data folder cannot be read'
    }
  }
  return undefined
}
