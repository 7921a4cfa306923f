// The executor of batches on a PostgreSQL server that several gateways share. A batch is committed once or not at all, even if connections break.
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

/** @param url as for `openPostgresExecutor`. Does not connect yet */
export const openSharedLedger = (
  url: string,
  options: PostgresExecutorOptions & Pick<LedgerOptions, 'blocked' | 'onChange'> = {},
): Ledger => groupCommit(openPostgresExecutor(url, options), options)

export interface PostgresExecutorOptions {
  /** This process's gateway id; absent for a command. */
  gateway_id?: number | undefined
  /** Called after another gateway considered this one dead and ended its row. Makes it alive again; absent: it stays ended and commits nothing. */
  onFenced?: (() => Promise<void>) | undefined
  /** For crash tests. */
  probe?: Probe | undefined
  /** Returns milliseconds since 1970. */
  now?: () => number
}

/** The least time for a commit, even after an operation has waited long. */
const MIN_COMMIT_MS = 500
const MAX_TRY_MS = 1_000

/** Longer than batches of other gateways take: with three gateways on one account, waits for a lock were shorter. */
export const SETTINGS = {
  lock_timeout: '150ms',
  // A batch's rows are found one by one, so scans and joins of whole tables are never useful.
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_bitmapscan: 'off',
}

/** @param url of a migrated database (`openPostgres` migrates). Connects at the first batch, and again after each loss of the connection */
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
  /** A batch whose COMMIT has an unknown outcome. No other batch is committed before that outcome is known. */
  #unknown: { batch: DecidedBatch; operations: readonly Operation[] } | undefined
  /** Holds whose callers were told that the outcome is unknown: no call uses them. */
  #abandoned_holds: Pick<HoldRow, 'id' | 'request_id'>[] = []
  /** A batch waited for the server in vain. Until the server is back, no other batch waits. */
  #is_server_away = false

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

  /** Commits a batch. The caller awaits each batch before the next: the known rows and the unknown commit belong to one batch. */
  async commit(operations: Operation[], wait_ms: number): Promise<Result[]> {
    const needed_ms = this.#is_server_away ? MIN_COMMIT_MS : Math.max(wait_ms, MIN_COMMIT_MS)
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

  /** Whether the operation's account is known to be locked: saves a statement. Operations on a hold are checked in the tables. */
  #isLocked(operation: Operation): boolean {
    return 'account_id' in operation && this.#locked.has(operation.account_id)
  }

  /**
   * Commits a batch. If the tables refuse its content, or others have locked its rows, it is halved repeatedly, so that only the
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

  /** Tries at least once; again without waiting for rows that others have locked, and while the server is unreachable. */
  async #commitPatiently(
    operations: readonly Operation[],
    due_ms: number,
  ): Promise<{ results: Result[] } | { failure: Failure }> {
    let not_awaited: NotAwaited | undefined
    for (const pause_ms of pauses()) {
      try {
        const outcomes = await this.#commitOnce(operations, due_ms, not_awaited ?? this.#locked.ids)
        this.#is_server_away = false
        return { results: outcomes.map((outcome) => outcome ?? { failure: SET_ASIDE }) }
      } catch (thrown) {
        const failure = explainFailure(failureOf(thrown))
        const is_away = failure.trouble === 'unreachable' || failure.trouble === 'read_only'
        if (failure.trouble === 'busy') {
          this.#is_server_away = false
          if (not_awaited) return { failure: SET_ASIDE }
          not_awaited = 'all'
          continue
        }
        const may_try_again = is_away && !this.#is_server_away
        if (!may_try_again || performance.now() + pause_ms > due_ms) {
          this.#is_server_away = is_away
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
    const remainingMs = () => Math.max(due_ms - performance.now(), MIN_COMMIT_MS)
    const known = await this.#resolveUnknown(operations, remainingMs)
    if (known) return known
    const connection = await this.#connected(remainingMs)
    const now_ms = this.#now()
    const abandoned = this.#abandoned_holds.map(
      ({ id, request_id }): ExpireOperation => ({ op: 'expire', hold_id: id, request_id, now_ms }),
    )
    const all = [...abandoned, ...operations]
    await this.#prices.store(connection, all, remainingMs)
    if (not_awaited.length === 0) {
      const outcomes = await this.#commitByKnown(all, operations, connection, remainingMs)
      if (outcomes) return outcomes
    }
    const batch = await this.#decide(all, { connection, not_awaited }, remainingMs)
    this.#locked.add(batch.locked)
    this.#probe('batch.started')
    return await this.#commitDecided(batch, operations, connection, remainingMs)
  }

  /**
   * @param all the operations, after those that expire abandoned holds
   * @returns undefined if nothing was done, since the rows must be read
   */
  async #commitByKnown(
    all: readonly Operation[],
    operations: readonly Operation[],
    connection: Connection,
    remainingMs: () => number,
  ): Promise<(Outcome | undefined)[] | undefined> {
    const parts = { connection, prices: this.#prices, gateway_id: this.#gateway_id }
    const batch = decideByKnown(all, this.#known, parts)
    if (!batch) return undefined
    this.#probe('batch.started')
    try {
      const outcomes = await this.#commitDecided(batch, operations, connection, remainingMs)
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
    remainingMs: () => number,
  ): Promise<(Outcome | undefined)[]> {
    try {
      // Half of the time is reserved for finding out the outcome.
      await batch.commit(remainingMs() / 2)
    } catch (thrown) {
      if (!connection.isLost) throw thrown
      this.#unknown = { batch, operations }
      const known = await this.#resolveUnknown(operations, remainingMs)
      if (!known) throw thrown
      return known
    }
    this.#known.keep(batch.book)
    this.#probe('batch.committed')
    return this.#outcomesOf(batch, operations)
  }

  /**
   * Finds out the unknown outcome of a batch, if there is one.
   *
   * @param operations those whose callers still wait. Callers of other operations were told that the outcome is unknown
   * @returns their outcomes, if they belong to that batch and it was committed
   * @throws StorageFailure if it cannot be found out; it stays unknown then
   */
  async #resolveUnknown(
    operations: readonly Operation[],
    remainingMs: () => number,
  ): Promise<(Outcome | undefined)[] | undefined> {
    if (!this.#unknown) return undefined
    const { batch, operations: of_batch } = this.#unknown
    const is_committed = await isCommitted(
      batch.mark,
      () => this.#open(remainingMs),
      this.#is_server_away ? 0 : remainingMs(),
    )
    if (is_committed && batch.recall) {
      const connection = await this.#open(remainingMs)
      try {
        await batch.recall(connection)
      } catch (thrown) {
        // A bug: asking again would block every later batch.
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
    this.#abandoned_holds.push(...batch.book.new_holds)
    return undefined
  }

  /** Returns the outcomes of a committed batch. Its abandoned holds have expired with it, unless they were set aside. */
  #outcomesOf({ outcomes }: DecidedBatch, operations: readonly Operation[]): DecidedBatch['outcomes'] {
    this.#abandoned_holds = this.#abandoned_holds.filter((_, at) => outcomes[at] === undefined)
    return outcomes.slice(outcomes.length - operations.length)
  }

  async #decide(
    operations: readonly Operation[],
    how: Pick<BatchParts, 'connection' | 'not_awaited'>,
    remainingMs: () => number,
  ): Promise<DecidedBatch> {
    const parts = { ...how, prices: this.#prices, gateway_id: this.#gateway_id }
    try {
      // Half of the time is reserved for another try on a new connection.
      return await decide(operations, parts, remainingMs() / 2)
    } catch (thrown) {
      if (!(thrown instanceof Fenced) || !this.#onFenced) throw thrown
      await this.#onFenced()
      return await decide(operations, parts, remainingMs())
    }
  }

  async #connected(remainingMs: () => number): Promise<Connection> {
    if (!this.#connection || this.#connection.isLost) this.#connection = await this.#open(remainingMs)
    return this.#connection
  }

  #open(remainingMs: () => number): Promise<Connection> {
    // It may lead to another server, which lacks the latest commits.
    this.#known.forget()
    return Connection.open(this.#url, SETTINGS, remainingMs())
  }
}
