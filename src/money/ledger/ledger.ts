// Group commit: holds are decided at once; other operations that arrive together share one transaction, and are answered once it is on the disk.

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
  /** Why nothing may be committed at the moment, in words that anybody may read; undefined while it may. Asked before each commit. */
  blocked?: () => string | undefined
  /** Told when the ledger can no longer commit, and when it can again. */
  onChange?: OnChange
  /** How long an operation waits for another process's write lock; `MAX_BUSY_WAIT_MS` where absent. */
  max_busy_wait_ms?: number | undefined
}

/** By then the row of a decided hold is written: others read the tables. */
const MAX_UNWRITTEN_MS = 50

const NO_HOLDS: ReadonlyMap<number, Hold> = new Map()

/** Bounds how long one transaction keeps the write lock and blocks the event loop. */
const MAX_BATCH_OPERATIONS = 512

interface Waiting {
  readonly operation: Operation
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: Error) => void
  /** Until then it waits for its commit, by `performance.now()`. */
  readonly due_ms: number
}

/** Opens the ledger of a database, which is made and migrated where needed. @throws Error when it cannot be opened */
export const openLedger = ({ path, ...options }: LedgerOptions): Ledger =>
  groupCommit(openExecutor(path, options), options)

/**
 * A ledger over an executor. All operations submitted in one turn of the event loop, or while a batch is in flight, form
 * the next batch; no operation waits for others to join it, and none longer than `max_busy_wait_ms`.
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
  /** Writes the rows of decided holds, if no commit has written them by then. */
  #holds_timer: ReturnType<typeof setTimeout> | undefined
  #queue: Waiting[] = []
  /** Operations of which others have locked what they change, until they are tried again. */
  #set_aside: Waiting[] = []
  #set_aside_timer: ReturnType<typeof setTimeout> | undefined
  #in_flight: Waiting[] = []
  #running: Promise<void> | undefined
  #closing: Promise<void> | undefined
  /** The rows of decided holds are due with the next batch, or are written with the one in flight: told once that was tried. */
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

  /** Decides a hold in this turn. @returns undefined where it waits for its batch */
  #decide(operation: HoldOperation): HoldOutcome | undefined {
    // While nothing can be committed a hold would be worth nothing.
    if (!this.#holds || this.failing !== undefined || this.#blocked() !== undefined) return undefined
    try {
      const outcome = this.#holds.decide(operation)
      if (outcome.ok) this.#holds_timer ??= setTimeout(this.#whenDue, MAX_UNWRITTEN_MS)
      // An operation under way may free the money that a refused one lacks.
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
    // A call that cannot be written then has its settlement in the journal.
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
      else if (this.unwritten.size > 0) this.#sawHolds(await this.#tryToWriteHolds())
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

  /** Rows that are written do not prove that a batch can be: its flush may fail. */
  #sawHolds(failure: Failure | undefined): void {
    if (failure) this.#health.saw(failure)
  }

  /** @returns why their rows are not written */
  async #tryToWriteHolds(): Promise<Failure | undefined> {
    return blockedBy(this.#blocked) ?? (await this.#holds?.write(this.#max_wait_ms))
  }

  /** With the next batch, whatever waits behind it. */
  #writeHolds(): Promise<void> {
    this.#due ??= Promise.withResolvers()
    this.#running ??= this.#run()
    return this.#due.promise
  }

  async #tryToWrite(): Promise<void> {
    // The batch under way shows by itself whether anything can be committed.
    if (this.#running) return
    this.#running = probe(this.#executor, this.#health).then(() => {
      this.#running = this.#queue.length > 0 || this.#due ? this.#run() : undefined
    })
    await this.#running
  }

  /** While the executor does not come back, what waits for it is told so: a disk may hang for as long as it likes. */
  #rejectOverdue(now_ms: number): Failure | undefined {
    // Nothing is in flight while it is tried whether anything can be written: that may hang, too.
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

/** An executor that commits nothing while something speaks against it. */
function unlessBlocked(executor: Executor, blocked: () => string | undefined): Executor {
  return {
    // Not async: each commit would make promises of its own.
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

/** An operation that was set aside is tried again after it. */
const SET_ASIDE_MS = 100
/** And no more when it has less time left: a batch takes so long where it finds another lock. */
const MIN_SET_ASIDE_MS = 1_000

/** A batch that is not back by then is given up. What becomes of it is not known; a hold is resolved once, whatever it is. */
const STALLED_MS = 500

const STALLED: Failure = {
  unavailable: true,
  cause: 'the disk did not answer in time',
  reason: 'the disk does not answer',
}

const NO_RESULT = { failure: { unavailable: false, cause: 'the writer gave no result' } }

/** The outcome of operations whose executor failed: they may have been committed or not. */
const lost = (cause: unknown): Failure => ({ unavailable: true, cause: String(cause) })

async function probe(executor: Executor, health: LedgerHealth): Promise<void> {
  try {
    health.saw(await executor.tryToWrite())
  } catch (cause) {
    health.saw(lost(cause))
  }
}

/** @returns the operations that are to be tried again */
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
    const failure = lost(cause)
    health.saw(failure)
    for (const { reject } of batch) reject(errorOf(failure))
    return []
  }
  health.saw(unavailability(results))
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

/** Why nothing of a batch could be written; undefined if any of it was, or was refused for its content. */
function unavailability(results: readonly Result[]): Failure | undefined {
  for (const result of results)
    if ('failure' in result && result.failure.unavailable && !result.failure.is_set_aside)
      return result.failure
  return undefined
}
