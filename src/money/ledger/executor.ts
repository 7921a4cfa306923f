// The executor of batches: commits them on the event loop, and answers once they are on the disk. The flush is on the event loop, or beside it where the disk is slow.

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

/** Commits batches one at a time: the next one is passed only after the results of the last. */
export interface Executor {
  /**
   * @param wait_ms how long to wait for another process's write lock
   * @returns one result for each operation. Rejects only when the executor itself has failed: what became of the batch is
   * not known then
   */
  commit(operations: Operation[], wait_ms: number): Promise<Result[]>
  /** Whether anything can be committed; undefined if it can. Rejects as `commit`. */
  tryToWrite(): Promise<Failure | undefined>
  /** Absent where holds wait for their batch, as where several processes make holds. */
  readonly holds?: HoldsInMemory | undefined
  /** The message for a batch that does not come back; absent: that the disk does not answer. */
  readonly stalled?: Failure | undefined
  close(): Promise<void>
}

/** Holds that are decided in memory; their rows are written by the next commit, or by `write`. */
export interface HoldsInMemory {
  /** @throws what SQLite throws; nothing is held then */
  decide(operation: HoldOperation): HoldOutcome
  /** Holds without a row. */
  readonly unwritten: ReadonlyMap<number, Hold>
  /** Writes those rows; nobody's money moves by that, so it waits for no disk. @returns why they are not written */
  write(wait_ms: number): Promise<Failure | undefined>
}

export interface ExecutorOptions {
  /** The gateway that this process is. It alone makes holds: it has the folder's lock. */
  gateway_id?: number | undefined
  /** Told of a decided hold that could not be written. */
  onLost?: OnLost | undefined
  /** For crash tests. */
  probe?: Probe | undefined
  /** For tests of disks. */
  disk?: Disk | undefined
}

/**
 * The executor of a database file. SQLite writes its log and does not wait for the disk; one flush of the log makes a batch durable,
 * whoever wrote to it.
 *
 * After a flush that failed nobody knows which pages of the log the disk has, and flushing them again may say that all is well
 * (https://lwn.net/Articles/752063/). So no batch is committed until a checkpoint has copied the log into the file and begun it anew:
 * frames behind a lost one would be lost with it.
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
      // Not awaited where it is done: each batch would wait for a turn of its own.
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
