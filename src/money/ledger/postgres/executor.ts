// The executor of batches on a PostgreSQL server that several gateways share: a batch is carried out once or not at all, whatever connection is lost.
import { StorageFailure } from '../../../domain/storage-failure.ts'
import { pauses } from '../../../store/busy.ts'
import { Connection } from '../../../store/engines/postgres/connection.ts'
import { StatementError } from '../../../store/engines/postgres/failure.ts'
import { isCommitted } from '../../../store/engines/postgres/transaction.ts'
import type { HoldRow } from '../book.ts'
import type { Executor } from '../executor.ts'
import { type Failure, failureOf, type Result } from '../failure.ts'
import { groupCommit, type LedgerOptions } from '../ledger.ts'
import type { ExpireOperation, Ledger, Operation, Outcome } from '../operations.ts'
import type { Probe } from '../writer.ts'
import { type BatchParts, type DecidedBatch, decide, Fenced } from './batch.ts'
import { explainFailure, SET_ASIDE, STALLED } from './failures.ts'
import { decideByKnown } from './known-batch.ts'
import { KnownRows } from './known-rows.ts'
import { LockedAccounts } from './locked-accounts.ts'
import { SharedPrices } from './prices.ts'
import type { NotAwaited } from './reading.ts'

/** @param url as of `openPostgresExecutor`. Nothing is connected to yet */
export const openSharedLedger = (
  url: string,
  options: PostgresExecutorOptions & Pick<LedgerOptions, 'blocked' | 'onChange'> = {},
): Ledger => groupCommit(openPostgresExecutor(url, options), options)

export interface PostgresExecutorOptions {
  /** The gateway that this process is; absent: none, as of a command. */
  gateway_id?: number | undefined
  /** Others took it for dead, and ended its row. It is alive again once this is done; absent: it stays ended, and nothing is committed. */
  onFenced?: (() => Promise<void>) | undefined
  /** For crash tests. */
  probe?: Probe | undefined
  /** Milliseconds since 1970. */
  now?: () => number
}

/** It needs so much where an operation has waited for long. */
const MIN_COMMIT_MS = 500
const MAX_TRY_MS = 1_000

/** Longer than batches of other gateways take: three gateways on one account waited for a lock for less. */
export const SETTINGS = {
  lock_timeout: '150ms',
  // Rows of a batch are found one by one: nothing is read to be put beside them.
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
}

/** @param url of a database whose tables are there: `openPostgres` brings them up to date. It is connected to at the first batch, and again whenever that is lost */
export const openPostgresExecutor = (url: string, options: PostgresExecutorOptions = {}): Executor =>
  new PostgresExecutor(url, options)

class PostgresExecutor implements Executor {
  readonly stalled = STALLED
  readonly #url: string
  readonly #gateway_id: number | null
  readonly #onFenced: (() => Promise<void>) | undefined
  readonly #probe: Probe
  readonly #now: () => number
  readonly #prices = new SharedPrices()
  readonly #known = new KnownRows()
  readonly #locked: LockedAccounts
  #connection: Connection | undefined
  /** The outcome of its COMMIT is unknown: nothing else is committed before it is known. */
  #unknown: { batch: DecidedBatch; operations: readonly Operation[] } | undefined
  /** Holds whose callers were told that nothing is known of them: they are nobody's. */
  #abandoned: Pick<HoldRow, 'id' | 'request_id'>[] = []
  /** Somebody has waited for the server in vain: until it is there again nobody else does. */
  #is_abandoned = false

  constructor(
    url: string,
    { gateway_id, onFenced, probe = () => {}, now = Date.now }: PostgresExecutorOptions,
  ) {
    this.#url = url
    this.#gateway_id = gateway_id ?? null
    this.#onFenced = onFenced
    this.#probe = probe
    this.#now = now
    this.#locked = new LockedAccounts(url)
  }

  /** The writer of batches awaits each before the next: the known rows and the unknown commit are those of one batch. */
  async commit(operations: Operation[], wait_ms: number): Promise<Result[]> {
    const needed_ms = this.#is_abandoned ? MIN_COMMIT_MS : Math.max(wait_ms, MIN_COMMIT_MS)
    const is_locked = operations.map((operation) => this.#isLocked(operation))
    const sent = operations.filter((_, at) => !is_locked[at])
    if (sent.length === 0 && operations.length > 0) return operations.map(() => ({ failure: SET_ASIDE }))
    const results = (await this.#commitInParts(sent, performance.now() + needed_ms)).values()
    return is_locked.map((is) => (is ? undefined : results.next().value) ?? { failure: SET_ASIDE })
  }

  async tryToWrite(): Promise<Failure | undefined> {
    const done = await this.#commitPatiently([], performance.now() + MAX_TRY_MS)
    return 'failure' in done && !done.failure.is_set_aside ? done.failure : undefined
  }

  async close(): Promise<void> {
    await this.#locked.close()
    await this.#connection?.close()
  }

  /** Its account is known to be locked: the check costs nobody a statement. Of a hold the tables decide. */
  #isLocked(operation: Operation): boolean {
    return 'account_id' in operation && this.#locked.has(operation.account_id)
  }

  /**
   * Where the tables refuse it for its content, or others have locked what it writes, its halves are tried, and theirs, so that only the
   * operations that cannot be written fail.
   */
  async #commitInParts(operations: readonly Operation[], due_ms: number): Promise<Result[]> {
    const done = await this.#commitPatiently(operations, due_ms)
    if (!('failure' in done)) return done.results
    const { failure } = done
    const may_be_halved = failure.is_set_aside ? performance.now() < due_ms : !failure.unavailable
    if (!may_be_halved || operations.length <= 1) return operations.map(() => ({ failure }))
    const half = Math.ceil(operations.length / 2)
    return [
      ...(await this.#commitInParts(operations.slice(0, half), due_ms)),
      ...(await this.#commitInParts(operations.slice(half), due_ms)),
    ]
  }

  /** Again without waiting for what others have locked, and while the server was not to be reached; at least once. */
  async #commitPatiently(
    operations: readonly Operation[],
    due_ms: number,
  ): Promise<{ results: Result[] } | { failure: Failure }> {
    let not_awaited: NotAwaited | undefined
    for (const pause_ms of pauses()) {
      try {
        const outcomes = await this.#commitOnce(operations, due_ms, not_awaited ?? this.#locked.ids)
        this.#is_abandoned = false
        return { results: outcomes.map((outcome) => outcome ?? { failure: SET_ASIDE }) }
      } catch (thrown) {
        const failure = explainFailure(failureOf(thrown))
        const is_away = failure.trouble === 'unreachable' || failure.trouble === 'read_only'
        if (failure.trouble === 'busy') {
          this.#is_abandoned = false
          if (not_awaited) return { failure: SET_ASIDE }
          not_awaited = 'all'
          continue
        }
        const may_try_again = is_away && !this.#is_abandoned
        if (!may_try_again || performance.now() + pause_ms > due_ms) {
          this.#is_abandoned = is_away
          return { failure }
        }
      }
      await Bun.sleep(pause_ms)
    }
    throw new Error('unreachable: the pauses never end')
  }

  async #commitOnce(
    operations: readonly Operation[],
    due_ms: number,
    not_awaited: NotAwaited,
  ): Promise<(Outcome | undefined)[]> {
    const left = () => Math.max(due_ms - performance.now(), MIN_COMMIT_MS)
    const known = await this.#resolveUnknown(operations, left)
    if (known) return known
    const connection = await this.#connected(left)
    const now_ms = this.#now()
    const abandoned = this.#abandoned.map(
      ({ id, request_id }): ExpireOperation => ({ op: 'expire', hold_id: id, request_id, now_ms }),
    )
    const all = [...abandoned, ...operations]
    await this.#prices.store(connection, all, left)
    if (not_awaited.length === 0) {
      const outcomes = await this.#commitByKnown(all, operations, connection, left)
      if (outcomes) return outcomes
    }
    const batch = await this.#decide(all, { connection, not_awaited }, left)
    this.#locked.add(batch.locked)
    this.#probe('batch.begun')
    return await this.#commitDecided(batch, operations, connection, left)
  }

  /**
   * @param all the operations, after those that free what was abandoned
   * @returns undefined where nothing was done, since the rows are to be read
   */
  async #commitByKnown(
    all: readonly Operation[],
    operations: readonly Operation[],
    connection: Connection,
    left: () => number,
  ): Promise<(Outcome | undefined)[] | undefined> {
    const parts = { connection, prices: this.#prices, gateway_id: this.#gateway_id }
    const batch = decideByKnown(all, this.#known, parts)
    if (!batch) return undefined
    this.#probe('batch.begun')
    try {
      const outcomes = await this.#commitDecided(batch, operations, connection, left)
      this.#known.markUnchanged(batch.based_on)
      return outcomes
    } catch (thrown) {
      if (connection.isLost) throw thrown
      this.#known.markChanged(batch.based_on)
      if (!(thrown instanceof StatementError)) throw thrown
      return undefined
    }
  }

  async #commitDecided(
    batch: DecidedBatch,
    operations: readonly Operation[],
    connection: Connection,
    left: () => number,
  ): Promise<(Outcome | undefined)[]> {
    try {
      // Half of the time is left to learn what became of it.
      await batch.commit(left() / 2)
    } catch (thrown) {
      if (!connection.isLost) throw thrown
      this.#unknown = { batch, operations }
      const known = await this.#resolveUnknown(operations, left)
      if (!known) throw thrown
      return known
    }
    this.#known.keep(batch.book)
    this.#probe('batch.committed')
    return this.#outcomesOf(batch, operations)
  }

  /**
   * Learns what became of the batch of which that is not known.
   *
   * @param operations whose outcomes are waited for. Whoever waited for others was told that nothing is known
   * @returns their outcomes, if they are those of that batch, and it was committed
   * @throws StorageFailure where it cannot be told; it stays unknown then
   */
  async #resolveUnknown(
    operations: readonly Operation[],
    left: () => number,
  ): Promise<(Outcome | undefined)[] | undefined> {
    if (!this.#unknown) return undefined
    const { batch, operations: of_batch } = this.#unknown
    const is_committed = await isCommitted(
      batch.marked,
      () => this.#open(left),
      this.#is_abandoned ? 0 : left(),
    )
    if (is_committed && batch.recall) {
      const connection = await this.#open(left)
      try {
        await batch.recall(connection)
      } catch (thrown) {
        // A bug: asked again, it would stand in the way of all that comes.
        if (!(thrown instanceof StorageFailure)) this.#unknown = undefined
        throw thrown
      } finally {
        await connection.close()
      }
    }
    this.#unknown = undefined
    if (!is_committed) return undefined
    const outcomes = this.#outcomesOf(batch, of_batch)
    if (of_batch === operations) return outcomes
    this.#abandoned.push(...batch.book.new_holds)
    return undefined
  }

  /** Of a batch that is committed: those that were abandoned have expired with it, unless they were set aside. */
  #outcomesOf({ outcomes }: DecidedBatch, operations: readonly Operation[]): DecidedBatch['outcomes'] {
    this.#abandoned = this.#abandoned.filter((_, at) => outcomes[at] === undefined)
    return outcomes.slice(outcomes.length - operations.length)
  }

  async #decide(
    operations: readonly Operation[],
    how: Pick<BatchParts, 'connection' | 'not_awaited'>,
    left: () => number,
  ): Promise<DecidedBatch> {
    const parts = { ...how, prices: this.#prices, gateway_id: this.#gateway_id }
    try {
      // Half of the time is left to do it again on another connection.
      return await decide(operations, parts, left() / 2)
    } catch (thrown) {
      if (!(thrown instanceof Fenced) || !this.#onFenced) throw thrown
      await this.#onFenced()
      return await decide(operations, parts, left())
    }
  }

  async #connected(left: () => number): Promise<Connection> {
    if (!this.#connection || this.#connection.isLost) this.#connection = await this.#open(left)
    return this.#connection
  }

  #open(left: () => number): Promise<Connection> {
    // It may lead to another server, which lacks what was done last.
    this.#known.forget()
    return Connection.open(this.#url, SETTINGS, left())
  }
}
