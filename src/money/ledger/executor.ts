// The executor of batches: commits them on the event loop and answers once they are on the disk. On a slow disk the flush runs on another thread.

import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { promisify } from 'node:util'
import { neverBlock } from '../../store/busy.ts'
import { openDatabase } from '../../store/engines/sqlite/open.ts'
import type { Hold } from '../../store/schema.ts'
import {
  commitPatiently,
  type Failure,
  failureOf,
  type OnLost,
  type Result,
  tryTo,
  writeHolds,
  writeHoldsPatiently,
} from './failure.ts'
import type { HoldOperation, HoldOutcome, Operation } from './operations.ts'
import { createWriter, type Probe, type Writer } from './writer.ts'

/** The disk operations of a flush; tests replace them. */
export interface Disk {
  open(path: string): number
  /** Returns after everything written to the file is on the disk. @throws the disk's error */
  flush(file: number): void
  /** As `flush`, on another thread. */
  flushBeside(file: number): Promise<void>
  close(file: number): void
  now_ms(): number
}

const flushBeside = promisify(fdatasync)

export const DISK: Disk = {
  // On Windows, a file opened for reading cannot be flushed.
  open: (path) => openSync(path, 'r+'),
  flush: fdatasyncSync,
  flushBeside: (file) => flushBeside(file),
  close: closeSync,
  now_ms: () => performance.now(),
}

interface LogFlush {
  /** Flushes the log. @returns nothing if it is on the disk now, otherwise a promise of that. Throws or rejects with the disk's error */
  flush(): void | Promise<void>
  close(): void
}

/** Moving a flush to another thread takes about 0.1 ms more. A flush that takes this long blocks the event loop too long. */
const SLOW_FLUSH_MS = 1
const COMPARED_FLUSHES = 5

/**
 * Opens the flush of a database's log. It moves to another thread after all of the last flushes were slow, and back after the first
 * fast one. A busy event loop may learn late that a flush on another thread has ended, but never too early.
 *
 * The file is opened once and stays the same: SQLite restarts a log within its file while a connection is open.
 *
 * @param path the database's file, which has a log once a connection has read it; `:memory:` has none
 */
export function openLogFlush(path: string, disk: Disk = DISK): LogFlush {
  if (path === ':memory:') return { flush: () => {}, close: () => {} }
  const file = disk.open(`${path}-wal`)
  const last_ms: number[] = []
  const addDuration = (ms: number): void => {
    last_ms.push(ms)
    if (last_ms.length > COMPARED_FLUSHES) last_ms.shift()
  }
  const isSlow = (): boolean =>
    last_ms.length === COMPARED_FLUSHES && last_ms.every((ms) => ms > SLOW_FLUSH_MS)

  return {
    flush() {
      const started_ms = disk.now_ms()
      const recordDuration = () => addDuration(disk.now_ms() - started_ms)
      if (isSlow()) return disk.flushBeside(file).then(recordDuration)
      disk.flush(file)
      recordDuration()
    },
    close: () => disk.close(file),
  }
}

/** Commits batches one at a time: the next batch is passed only after the results of the last. */
export interface Executor {
  /**
   * @param wait_ms how long to wait for another process's write lock
   * @returns one result for each operation. Rejects only if the executor itself has failed; the batch's outcome is then
   * unknown
   */
  commit(operations: Operation[], wait_ms: number): Promise<Result[]>
  /** Tests whether anything can be committed; undefined if it can. Rejects as `commit`. */
  tryToWrite(): Promise<Failure | undefined>
  /** Absent if holds wait for their batch, as they do if several processes make holds. */
  readonly holds?: HoldsInMemory | undefined
  /** The message for a batch that does not return; absent: that the disk does not respond. */
  readonly stalled?: Failure | undefined
  close(): Promise<void>
}

/** Holds that are decided in memory. The next commit, or `write`, writes their rows. */
export interface HoldsInMemory {
  /** @throws SQLite's error; nothing is held then */
  decide(operation: HoldOperation): HoldOutcome
  /** Holds without a row. */
  readonly unwritten: ReadonlyMap<number, Hold>
  /** Writes these rows without waiting for the disk, since no money moves. @returns why they are not written */
  write(wait_ms: number): Promise<Failure | undefined>
}

export interface ExecutorOptions {
  /** The id of this process's gateway. It alone makes holds, since it has the folder's lock. */
  gateway_id?: number | undefined
  /** Called for a decided hold that could not be written. */
  onLost?: OnLost | undefined
  /** For crash tests. */
  probe?: Probe | undefined
  /** For tests of disks. */
  disk?: Disk | undefined
}

/**
 * Opens the executor of a database file. SQLite writes its log without waiting for the disk. One flush of the log makes a batch durable,
 * whichever connection wrote it.
 *
 * After a failed flush it is unknown which pages of the log are on the disk, and another flush may report success
 * (https://lwn.net/Articles/752063/). So no batch is committed until a checkpoint has copied the log into the database file and
 * restarted it: frames after a lost one would be lost, too.
 */
export function openExecutor(
  path: string,
  { gateway_id, onLost = () => {}, probe = () => {}, disk }: ExecutorOptions = {},
): Executor {
  const db = openDatabase(path)
  db.run('PRAGMA synchronous = NORMAL')
  neverBlock(db)
  const writer = createWriter(db, probe, gateway_id)
  const log = openLogFlush(path, disk)
  let unflushed: Failure | undefined

  /** @returns why the log is not on the disk; undefined if it is */
  const flush = async (): Promise<Failure | undefined> => {
    try {
      // Awaited only if it is a promise: otherwise each batch would take an extra turn of the event loop.
      const flushing = log.flush()
      if (flushing) await flushing
      probe('batch.synced')
      return undefined
    } catch (thrown) {
      unflushed = { ...failureOf(thrown), unavailable: true }
      return unflushed
    }
  }

  return {
    async commit(operations, wait_ms) {
      const refused = unflushed
      if (refused) return operations.map(() => ({ failure: refused }))
      const results = await commitPatiently(writer, operations, wait_ms, onLost)
      if (!results.some(isWritten)) return results
      const failure = await flush()
      return failure ? results.map((result) => (isWritten(result) ? { failure } : result)) : results
    },
    async tryToWrite() {
      const failure =
        (unflushed && tryTo(writer.beginLogAnew)) ?? tryTo(writer.rewriteHeader) ?? writeHolds(writer, onLost)
      if (failure) return failure
      unflushed = undefined
      return await flush()
    },
    holds: gateway_id === undefined ? undefined : holdsInMemory(writer, onLost, probe),
    async close() {
      log.close()
      db.close()
    },
  }
}

const holdsInMemory = (writer: Writer, onLost: OnLost, probe: Probe): HoldsInMemory => ({
  unwritten: writer.unwritten,
  decide(operation) {
    const outcome = writer.hold(operation)
    probe('hold.decided')
    return outcome
  },
  write: (wait_ms) => writeHoldsPatiently(writer, wait_ms, onLost),
})

const isWritten = (result: Result): boolean => 'ok' in result && result.ok
