// Group commit: operations that arrive together share one transaction, and each is answered once it is on the disk.
import { overloaded } from '../domain/errors.ts'
import { type Executor, inlineExecutor, threadExecutor } from './executors.ts'
import { errorOf, type Result } from './failure.ts'
import { medianSyncMs } from './measure.ts'
import type { Ledger, Operation, Outcome, OutcomeOf } from './operations.ts'
import type { Probe } from './writer.ts'

export interface LedgerOptions {
  /** The database's file, or `:memory:` (inline only). */
  path: string
  /** Where commits are made; `auto` measures the disk, and takes the thread where it is slow. */
  writer: 'inline' | 'thread' | 'auto'
  /** For crash tests; called by the inline writer only. */
  probe?: Probe
}

/** An fsync that takes longer than this blocks the event loop for longer than passing a batch to a thread takes. */
const SLOW_SYNC_MS = 0.5

/** Bounds how long one transaction keeps the write lock and blocks the event loop. */
const MAX_BATCH_OPERATIONS = 512

interface Waiting {
  readonly operation: Operation
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: Error) => void
}

/**
 * Opens the ledger of a database; creates and migrates the database where needed.
 *
 * @throws Error when the database cannot be opened
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const { path, writer, probe } = options
  const threaded = writer === 'thread' || (writer === 'auto' && medianSyncMs(path) > SLOW_SYNC_MS)
  return groupCommit(threaded ? await threadExecutor(path) : inlineExecutor(path, probe))
}

/**
 * A ledger over an executor. All operations submitted in one turn of the event loop, or while a batch is in flight, form
 * the next batch; no operation waits for others to join it.
 */
export function groupCommit(executor: Executor): Ledger {
  let queue: Waiting[] = []
  let running: Promise<void> | undefined
  let closing: Promise<void> | undefined

  const run = async (): Promise<void> => {
    while (queue.length > 0) {
      await endOfTurn()
      const batch = queue.slice(0, MAX_BATCH_OPERATIONS)
      queue = queue.slice(MAX_BATCH_OPERATIONS)
      await commit(executor, batch)
    }
    running = undefined
  }

  return {
    submit<O extends Operation>(operation: O): Promise<OutcomeOf<O>> {
      if (closing) return Promise.reject(overloaded('The gateway is shutting down; please try again.'))
      const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
      queue.push({ operation, resolve, reject })
      running ??= run()
      return promise as Promise<OutcomeOf<O>>
    },
    close() {
      closing ??= (running ?? Promise.resolve()).then(() => executor.close())
      return closing
    },
  }
}

async function commit(executor: Executor, batch: Waiting[]): Promise<void> {
  let results: Result[]
  try {
    results = await executor.commit(batch.map(({ operation }) => operation))
  } catch (cause) {
    const error = errorOf({ unavailable: false, cause: String(cause) })
    for (const { reject } of batch) reject(error)
    return
  }
  for (const [index, { resolve, reject }] of batch.entries()) {
    const result = results[index]
    if (result && 'outcome' in result) resolve(result.outcome)
    else reject(errorOf(result?.failure ?? { unavailable: false, cause: 'the writer gave no result' }))
  }
}

const endOfTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
