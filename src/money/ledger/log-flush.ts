// The flush of the database's write-ahead log, which makes commits durable: on the event loop, or beside it where the disk is slow.
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'

/** The disk of a flush; tests have disks of their own. */
export interface Disk {
  open(path: string): number
  /** Returns once all that was written to the file is on the disk. @throws what the disk throws */
  flush(file: number): void
  /** As `flush`, beside the event loop. */
  flushBeside(file: number): Promise<void>
  close(file: number): void
  now_ms(): number
}

const flushBeside = promisify(fdatasync)

export const DISK: Disk = {
  // A file that is only read cannot be flushed on Windows.
  open: (path) => openSync(path, 'r+'),
  flush: fdatasyncSync,
  flushBeside: (file) => flushBeside(file),
  close: closeSync,
  now_ms: () => performance.now(),
}

interface LogFlush {
  /** @returns nothing once the log is on the disk, or a promise of that. Throws or rejects with what the disk says */
  flush(): void | Promise<void>
  close(): void
}

/** Passing a flush to another thread takes about 0.1 ms more; one that takes this long keeps the event loop from its work. */
const SLOW_FLUSH_MS = 1
const COMPARED_FLUSHES = 5

/**
 * The flush of a database's log. It goes beside the event loop once all of the last flushes were slow, and back with the first
 * that is not: a busy event loop hears late of a flush beside it, never too early.
 *
 * The file is opened once and stays the same: SQLite begins a log anew in its file for as long as a connection is open.
 *
 * @param path the database's file, which has a log as soon as a connection has read it; `:memory:` has none
 */
export function openLogFlush(path: string, disk: Disk = DISK): LogFlush {
  if (path === ':memory:') return { flush: () => {}, close: () => {} }
  const file = disk.open(`${path}-wal`)
  const last_ms: number[] = []
  const took = (ms: number): void => {
    last_ms.push(ms)
    if (last_ms.length > COMPARED_FLUSHES) last_ms.shift()
  }
  const isSlow = (): boolean =>
    last_ms.length === COMPARED_FLUSHES && last_ms.every((ms) => ms > SLOW_FLUSH_MS)

  return {
    flush() {
      const started_ms = disk.now_ms()
      const recordDuration = () => took(disk.now_ms() - started_ms)
      if (isSlow()) return disk.flushBeside(file).then(recordDuration)
      disk.flush(file)
      recordDuration()
    },
    close: () => disk.close(file),
  }
}
