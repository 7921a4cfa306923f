// Group commit: operations that arrive together share one transaction, and each is answered once it is on the disk.
import { MAX_BUSY_WAIT_MS } from '../db/busy.ts'
import { overloaded } from '../domain/errors.ts'
import { endOfTurn } from '../utilities/end-of-turn.ts'
import { autoExecutor, type OnMove, SLOW_SYNC_MS } from './auto-executor.ts'
import { type Executor, inlineExecutor, threadExecutor } from './executors.ts'
import { errorOf, type Failure, type Result } from './failure.ts'
import { type LedgerHealth, type OnChange, watchLedger } from './health.ts'
import { medianSyncMs } from './measure.ts'
import type { Ledger, Operation, Outcome, OutcomeOf } from './operations.ts'
import type { Probe } from './writer.ts'

export interface LedgerOptions {
  /** The database's file, or `:memory:` (inline only). */
  path: string
  /** Where commits are made; `auto` takes the thread where the disk is slow: measured at the start, then by every commit. */
  writer: 'inline' | 'thread' | 'auto'
  /** For crash tests; called by the inline writer only. */
  probe?: Probe
  /** Why nothing may be committed at the moment, in words that anybody may read; undefined while it may. Asked before each commit. */
  blocked?: () => string | undefined
  /** Told when the ledger can no longer commit, and when it can again. */
  onChange?: OnChange
  /** Told when `auto` has changed over. */
  onMove?: OnMove
}

/** Bounds how long one transaction keeps the write lock and blocks the event loop. */
const MAX_BATCH_OPERATIONS = 512

interface Waiting {
  readonly operation: Operation
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: Error) => void
  /** Until then it waits for its commit, by `performance.now()`. */
  readonly due_ms: number
}

/**
 * Opens the ledger of a database; creates and migrates the database where needed.
 *
 * @throws Error when the database cannot be opened
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  return groupCommit(await openExecutor(options), options)
}

async function openExecutor({ path, writer, probe, onMove }: LedgerOptions): Promise<Executor> {
  if (writer === 'thread') return threadExecutor(path)
  const inline = inlineExecutor(path, probe)
  // A database in memory has one connection, and no disk.
  if (writer === 'inline' || path === ':memory:') return inline
  const starts_on = medianSyncMs(path) > SLOW_SYNC_MS ? 'thread' : 'inline'
  return autoExecutor({ inline, openThread: () => threadExecutor(path), starts_on, onMove })
}

/**
 * A ledger over an executor. All operations submitted in one turn of the event loop, or while a batch is in flight, form
 * the next batch; no operation waits for others to join it, and none longer than five seconds.
 */
export function groupCommit(
  executor: Executor,
  { onChange = () => {}, blocked = () => undefined }: Pick<LedgerOptions, 'onChange' | 'blocked'> = {},
): Ledger {
  const guarded = unlessBlocked(executor, blocked)
  let queue: Waiting[] = []
  let in_flight: Waiting[] = []
  let running: Promise<void> | undefined
  let closing: Promise<void> | undefined

  const run = async (): Promise<void> => {
    while (queue.length > 0) {
      await endOfTurn()
      in_flight = queue.slice(0, MAX_BATCH_OPERATIONS)
      queue = queue.slice(MAX_BATCH_OPERATIONS)
      await commit(guarded, in_flight, health)
      in_flight = []
    }
    running = undefined
  }

  /** While the executor does not come back, what waits for it is told so: a disk may hang for as long as it likes. */
  const rejectOverdue = (now_ms: number): boolean => {
    const [oldest] = in_flight
    if (!oldest || now_ms < oldest.due_ms + STALLED_MS) return false
    for (const { reject } of in_flight) reject(errorOf(STALLED))
    for (const { reject, due_ms } of queue) if (due_ms < now_ms) reject(errorOf(STALLED))
    queue = queue.filter(({ due_ms }) => due_ms >= now_ms)
    return true
  }

  const health = watchLedger({
    onChange,
    stalled: (now_ms) => (rejectOverdue(now_ms) ? STALLED : undefined),
    async tryToWrite() {
      // What is under way shows by itself whether anything can be committed.
      if (running) return
      running = probe(guarded, health).then(() => {
        running = queue.length > 0 ? run() : undefined
      })
      await running
    },
  })

  return {
    get failing() {
      return health.failing
    },
    submit<O extends Operation>(operation: O): Promise<OutcomeOf<O>> {
      if (closing) return Promise.reject(overloaded('The gateway is shutting down; please try again.'))
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
      queue.push({ operation, resolve, reject, due_ms: performance.now() + MAX_BUSY_WAIT_MS })
      running ??= run()
      return promise as Promise<OutcomeOf<O>>
    },
    close() {
      closing ??= (async () => {
        health.stop()
        while (running) await running
        await executor.close()
      })()
      return closing
    },
  }
}

const failureOfEach = (operations: readonly Operation[], failure: Failure): Result[] =>
  operations.map(() => ({ failure }))

/** An executor that commits nothing while something speaks against it. */
function unlessBlocked(executor: Executor, blocked: () => string | undefined): Executor {
  const failure = (): Failure | undefined => {
    const reason = blocked()
    return reason === undefined ? undefined : { unavailable: true, cause: reason, reason }
  }
  return {
    // Not async: each commit would make promises of its own.
    commit(operations, wait_ms) {
      const refused = failure()
      return refused
        ? Promise.resolve(failureOfEach(operations, refused))
        : executor.commit(operations, wait_ms)
    },
    tryToWrite: async () => failure() ?? (await executor.tryToWrite()),
    close: () => executor.close(),
  }
}

/** A batch that is not back by then is given up. What becomes of it is not known; a hold is resolved once, whatever it is. */
const STALLED_MS = 500

const STALLED: Failure = { unavailable: true, cause: 'the disk did not answer in time' }

const NO_RESULT = { failure: { unavailable: false, cause: 'the writer gave no result' } }

/** What becomes of the operations of an executor that failed: they may have been committed or not. */
const lost = (cause: unknown): Failure => ({ unavailable: true, cause: String(cause) })

async function probe(executor: Executor, health: LedgerHealth): Promise<void> {
  try {
    health.saw(await executor.tryToWrite())
  } catch (cause) {
    health.saw(lost(cause))
  }
}

async function commit(executor: Executor, batch: Waiting[], health: LedgerHealth): Promise<void> {
  const wait_ms = (batch[0]?.due_ms ?? 0) - performance.now()
  let results: Result[]
  try {
    const operations = batch.map(({ operation }) => operation)
    results = await executor.commit(operations, Math.max(wait_ms, 0))
  } catch (cause) {
    const failure = lost(cause)
    health.saw(failure)
    for (const { reject } of batch) reject(errorOf(failure))
    return
  }
  health.saw(unavailability(results))
  batch.forEach(({ resolve, reject }, index) => {
    const result = results[index] ?? NO_RESULT
    if ('failure' in result) reject(errorOf(result.failure))
    else resolve(result)
  })
}

/** Why nothing of a batch could be written; undefined if any of it was, or was refused for its content. */
function unavailability(results: readonly Result[]): Failure | undefined {
  for (const result of results) if ('failure' in result && result.failure.unavailable) return result.failure
  return undefined
}
