// Group commit: holds are decided at once; other operations that arrive together share a transaction, and are answered once it is on the disk.

import { overloaded } from '../../domain/errors.ts'
import { MAX_BUSY_WAIT_MS } from '../../store/busy.ts'
import type { Hold } from '../../store/schema.ts'
import { endOfTurn } from '../../utilities/end-of-turn.ts'
import { type Executor, type ExecutorOptions, type HoldsInMemory, openExecutor } from './executor.ts'
import { blockedBy, errorOf, type Failure, failureOf, type Result } from './failure.ts'
import { type LedgerHealth, type OnChange, watchLedger } from './health.ts'
import type {
  HoldOperation,
  HoldOutcome,
  Ledger,
  Operation,
  Outcome,
  OutcomeOf,
  Submitted,
} from './operations.ts'

export interface LedgerOptions extends ExecutorOptions {
  /** The database's file, or `:memory:`. */
  path: string
  /** Returns why nothing may be committed, in words that callers may read; undefined if it may. Called before each commit. */
  blocked?: () => string | undefined
  /** Called when the ledger becomes unable to commit, and when it recovers. */
  onChange?: OnChange
  /** How long an operation waits for another process's write lock; by default `MAX_BUSY_WAIT_MS`. */
  max_busy_wait_ms?: number | undefined
}

/** The row of a decided hold is written within this time, since others read the tables. */
const MAX_UNWRITTEN_MS = 50

const NO_HOLDS: ReadonlyMap<number, Hold> = new Map()

/** Bounds the time for which one transaction keeps the write lock and blocks the event loop. */
const MAX_BATCH_OPERATIONS = 512

interface Waiting {
  readonly operation: Operation
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: Error) => void
  /** The end of its wait for a commit, on the clock of `performance.now()`. */
  readonly due_ms: number
}

/** Opens the ledger of a database, which is created and migrated if necessary. @throws Error if it cannot be opened */
export const openLedger = ({ path, ...options }: LedgerOptions): Ledger =>
  groupCommit(openExecutor(path, options), options)

/**
 * Makes a ledger over an executor. All operations submitted in one turn of the event loop, or while a batch is in flight, form
 * the next batch. No operation waits for others to join it, and none waits longer than `max_busy_wait_ms`.
 */
export const groupCommit = (executor: Executor, options: Partial<LedgerOptions> = {}): Ledger =>
  new GroupCommit(executor, options)

class GroupCommit implements Ledger {
  readonly #executor: Executor
  readonly #holds: HoldsInMemory | undefined
  readonly #stalled: Failure
  readonly #blocked: () => string | undefined
  readonly #max_wait_ms: number
  readonly #health: LedgerHealth
  /** Writes the rows of decided holds, unless a commit has written them before. */
  #holds_timer: ReturnType<typeof setTimeout> | undefined
  #queue: Waiting[] = []
  /** Operations on rows that others have locked, until they are retried. */
  #set_aside: Waiting[] = []
  #set_aside_timer: ReturnType<typeof setTimeout> | undefined
  #in_flight: Waiting[] = []
  #running: Promise<void> | undefined
  #closing: Promise<void> | undefined
  /** Requests to write the rows of decided holds, with the next batch or with the one in flight. Resolved after the try. */
  #due: PromiseWithResolvers<void> | undefined
  #due_in_flight: PromiseWithResolvers<void> | undefined

  constructor(executor: Executor, options: Partial<LedgerOptions>) {
    const { onChange = () => {}, blocked = () => undefined } = options
    this.#max_wait_ms = options.max_busy_wait_ms ?? MAX_BUSY_WAIT_MS
    this.#executor = unlessBlocked(executor, blocked)
    this.#holds = executor.holds
    this.#stalled = executor.stalled ?? STALLED
    this.#blocked = blocked
    this.#health = watchLedger({
      onChange,
      stalled: (now_ms) => this.#rejectOverdue(now_ms),
      tryToWrite: () => this.#tryToWrite(),
    })
  }

  get failing(): string | undefined {
    return this.#health.failing
  }

  get unwritten(): ReadonlyMap<number, Hold> {
    return this.#holds?.unwritten ?? NO_HOLDS
  }

  submit<O extends Operation>(operation: O): Submitted<O> {
    if (this.#closing) return Promise.reject(overloaded('The gateway is shutting down; please try again.'))
    const decided = operation.op === 'hold' ? this.#decide(operation) : undefined
    if (decided) return decided as Submitted<O>
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
    this.#queue.push({ operation, resolve, reject, due_ms: performance.now() + this.#max_wait_ms })
    this.#running ??= this.#run()
    return promise as Promise<OutcomeOf<O>>
  }

  /** Decides a hold in this turn. @returns undefined if it waits for its batch */
  #decide(operation: HoldOperation): HoldOutcome | undefined {
    // While nothing can be committed, nothing is decided in memory: the call could not be charged.
    if (!this.#holds || this.failing !== undefined || this.#blocked() !== undefined) return undefined
    try {
      const outcome = this.#holds.decide(operation)
      if (outcome.ok) this.#holds_timer ??= setTimeout(this.#whenDue, MAX_UNWRITTEN_MS)
      // A running operation may free the money that a refused hold lacks.
      return outcome.ok || !this.#running ? outcome : undefined
    } catch (thrown) {
      throw errorOf(failureOf(thrown))
    }
  }

  readonly #whenDue = (): void => {
    this.#holds_timer = undefined
    void this.#writeHolds()
  }

  async barrier(): Promise<void> {
    if (this.unwritten.size > 0 && this.failing === undefined) await this.#writeHolds()
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #end(): Promise<void> {
    this.#health.stop()
    clearTimeout(this.#holds_timer)
    while (this.#running || this.#set_aside.length > 0) {
      if (this.#running) await this.#running
      else await Bun.sleep(SET_ASIDE_MS)
    }
    // If a hold cannot be written now, the settlement of its call goes to the journal.
    if (this.unwritten.size > 0) await this.#tryToWriteHolds()
    await this.#executor.close()
  }

  async #run(): Promise<void> {
    do {
      await endOfTurn()
      this.#in_flight = this.#queue.slice(0, MAX_BATCH_OPERATIONS)
      this.#queue = this.#queue.slice(MAX_BATCH_OPERATIONS)
      this.#due_in_flight = this.#due
      this.#due = undefined
      if (this.#in_flight.length > 0)
        this.#setAside(await commit(this.#executor, this.#in_flight, this.#health))
      else if (this.unwritten.size > 0) this.#recordFailure(await this.#tryToWriteHolds())
      this.#in_flight = []
      this.#due_in_flight?.resolve()
    } while (this.#queue.length > 0 || this.#due)
    this.#running = undefined
  }

  #setAside(operations: readonly Waiting[]): void {
    this.#set_aside.push(...operations)
    if (this.#set_aside.length > 0) this.#set_aside_timer ??= setTimeout(this.#tryAgain, SET_ASIDE_MS)
  }

  readonly #tryAgain = (): void => {
    this.#set_aside_timer = undefined
    this.#queue.push(...this.#set_aside.splice(0))
    this.#running ??= this.#run()
  }

  /** Reports only failures: written rows do not prove that a batch can be committed, since its flush may fail. */
  #recordFailure(failure: Failure | undefined): void {
    if (failure) this.#health.record(failure)
  }

  /** @returns why the rows are not written */
  async #tryToWriteHolds(): Promise<Failure | undefined> {
    return blockedBy(this.#blocked) ?? (await this.#holds?.write(this.#max_wait_ms))
  }

  /** Writes the rows with the next batch, without waiting for later ones. */
  #writeHolds(): Promise<void> {
    this.#due ??= Promise.withResolvers()
    this.#running ??= this.#run()
    return this.#due.promise
  }

  async #tryToWrite(): Promise<void> {
    // The running batch itself shows whether anything can be committed.
    if (this.#running) return
    this.#running = testWrite(this.#executor, this.#health).then(() => {
      this.#running = this.#queue.length > 0 || this.#due ? this.#run() : undefined
    })
    await this.#running
  }

  /** Rejects overdue operations while the executor does not return: a disk may hang for any time. */
  #rejectOverdue(now_ms: number): Failure | undefined {
    // Nothing is in flight during a test write, which may hang, too.
    const oldest = this.#in_flight[0] ?? this.#queue[0]
    if (!oldest || now_ms < oldest.due_ms + STALLED_MS) return undefined
    for (const { reject } of this.#in_flight) reject(errorOf(this.#stalled))
    for (const { reject, due_ms } of this.#queue) if (due_ms < now_ms) reject(errorOf(this.#stalled))
    this.#queue = this.#queue.filter(({ due_ms }) => due_ms >= now_ms)
    this.#due_in_flight?.resolve()
    this.#due?.resolve()
    return this.#stalled
  }
}

const failureOfEach = (operations: readonly Operation[], failure: Failure): Result[] =>
  operations.map(() => ({ failure }))

/** Wraps an executor so that it commits nothing while `blocked` returns a reason. */
function unlessBlocked(executor: Executor, blocked: () => string | undefined): Executor {
  return {
    // Not async, to save each commit an extra promise.
    commit(operations, wait_ms) {
      const refused = blockedBy(blocked)
      return refused
        ? Promise.resolve(failureOfEach(operations, refused))
        : executor.commit(operations, wait_ms)
    },
    tryToWrite: async () => blockedBy(blocked) ?? (await executor.tryToWrite()),
    close: () => executor.close(),
  }
}

/** The pause before an operation that was set aside is retried. */
const SET_ASIDE_MS = 100
/** With less time left than this, it is not retried: a batch that finds another lock takes this long. */
const MIN_SET_ASIDE_MS = 1_000

/** A batch that has not returned after this time is given up. Its outcome is unknown, but a hold is resolved only once in any case. */
const STALLED_MS = 500

const STALLED: Failure = {
  unavailable: true,
  cause: 'the disk did not answer in time',
  reason: 'the disk does not answer',
}

const NO_RESULT = { failure: { unavailable: false, cause: 'the writer gave no result' } }

/** The failure of operations whose executor failed: they may be committed or not. */
const unknownOutcome = (cause: unknown): Failure => ({ unavailable: true, cause: String(cause) })

async function testWrite(executor: Executor, health: LedgerHealth): Promise<void> {
  try {
    health.record(await executor.tryToWrite())
  } catch (cause) {
    health.record(unknownOutcome(cause))
  }
}

/** @returns the operations to retry */
async function commit(
  executor: Executor,
  batch: readonly Waiting[],
  health: LedgerHealth,
): Promise<Waiting[]> {
  const wait_ms = (batch[0]?.due_ms ?? 0) - performance.now()
  let results: Result[]
  try {
    const operations = batch.map(({ operation }) => operation)
    results = await executor.commit(operations, Math.max(wait_ms, 0))
  } catch (cause) {
    const failure = unknownOutcome(cause)
    health.record(failure)
    for (const { reject } of batch) reject(errorOf(failure))
    return []
  }
  health.record(unavailability(results))
  return batch.filter((waiting, index) => {
    const result = results[index] ?? NO_RESULT
    if (!('failure' in result)) waiting.resolve(result)
    else if (mayTryAgain(result.failure, waiting)) return true
    else waiting.reject(errorOf(result.failure))
    return false
  })
}

const mayTryAgain = ({ is_set_aside }: Failure, { due_ms }: Waiting): boolean =>
  is_set_aside === true && due_ms - performance.now() > MIN_SET_ASIDE_MS

/** Returns the first failure to write the database; undefined without one. Operations that were set aside do not count. */
function unavailability(results: readonly Result[]): Failure | undefined {
  for (const result of results)
    if ('failure' in result && result.failure.unavailable && !result.failure.is_set_aside)
      return result.failure
  return undefined
}
