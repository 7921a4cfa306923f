// Settlements that the ledger could not write: kept and retried until written; at a stop they go to the journal.
import { GatewayError } from '../../domain/errors.ts'
import { formatUsd, NANOS_PER_USD, type Nanos } from '../../domain/money.ts'
import type {
  Ledger,
  LostHold,
  Outcome,
  PostOperation,
  VoidOperation,
} from '../../money/ledger/operations.ts'
import type { Logger } from '../../observe/log.ts'

/** A settlement in the form that the journal stores. */
export interface UnwrittenSettlement {
  operation: PostOperation | VoidOperation
  /** The hold that it resolves, which may be unwritten, too; absent in journals of versions that wrote holds at once. */
  hold?: LostHold | undefined
  /** Log fields of the call: its request id, hold and cost. */
  fields: Readonly<Record<string, unknown>>
}

export interface QueuedSettlement extends UnwrittenSettlement {
  /** Called when the settlement is written, or refused for good. */
  written(outcome: Outcome): void
}

interface SettlementQueueOptions {
  ledger: Pick<Ledger, 'submit' | 'failing'>
  log: Logger
  /** Keeps settlements for the next start. @throws the disk's error */
  journal: (settlements: readonly UnwrittenSettlement[]) => void
  /** The first pause; each pause doubles, up to 30 seconds. */
  first_pause_ms?: number
}

/** A settlement that waits for its next try. */
interface Entry extends QueuedSettlement {
  pause_ms: number
  /** On the clock of `performance.now()`. */
  due_ms: number
  trying: boolean
  /** Whether the ledger refused it while it could write others. */
  refused: boolean
}

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 30_000
/** The longest pause after a failed commit of a ledger that reported that it can commit. Short, since it may recover soon. */
const MAX_UNAVAILABLE_PAUSE_MS = 1_000

/** Above these limits no new call starts. More may wait, since running calls always settle. */
export const MAX_UNWRITTEN_SETTLEMENTS = 1_000
export const MAX_UNWRITTEN_NANOS: Nanos = 100 * NANOS_PER_USD

/** Counts since the queue was last empty. */
interface Outage {
  since_ms: number
  kept: number
  written: number
}

export class SettlementQueue {
  readonly #options: SettlementQueueOptions
  readonly #waiting = new Map<number, Entry>()
  #waiting_nanos: Nanos = 0
  #outage = outageFrom(0)
  #timer: ReturnType<typeof setInterval> | undefined
  #closed = false
  /** Called after each try. */
  #onTried: () => void = () => {}

  constructor(options: SettlementQueueOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#waiting.size
  }

  /** Why no new call may start: a longer queue would be a risk. Undefined while calls may start. */
  get full(): string | undefined {
    return this.size > MAX_UNWRITTEN_SETTLEMENTS || this.#waiting_nanos > MAX_UNWRITTEN_NANOS
      ? `${this.size} settlements of ${formatUsd(this.#waiting_nanos)} USD wait to be written`
      : undefined
  }

  /** Whether a hold waits for its settlement, so that no sweep may expire it. */
  has(hold_id: number): boolean {
    return this.#waiting.has(hold_id)
  }

  add(settlement: QueuedSettlement): void {
    const { first_pause_ms = FIRST_PAUSE_MS } = this.#options
    if (this.#closed) {
      keepForNextStart([settlement], this.#options)
      return
    }
    if (this.size === 0) this.#outage = outageFrom(performance.now())
    this.#outage.kept++
    this.#waiting.set(settlement.operation.hold_id, entryOf(settlement, first_pause_ms))
    this.#waiting_nanos += costOf(settlement.operation)
    this.#timer ??= setInterval(() => this.#tryDue(), first_pause_ms)
  }

  /** Resolves when every settlement that the ledger did not refuse is written, or after the timeout. */
  async drain(timeout_ms: number): Promise<void> {
    if (!this.#hasRetriable()) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timeout = setTimeout(resolve, timeout_ms)
    this.#onTried = () => {
      if (!this.#hasRetriable()) resolve()
    }
    await promise
    clearTimeout(timeout)
  }

  /** Stops the tries. Waiting settlements, and later ones, go to the journal. */
  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
    keepForNextStart([...this.#waiting.values()], this.#options)
  }

  #hasRetriable(): boolean {
    return this.#waiting.values().some(({ refused }) => !refused)
  }

  /** Starts the tries that are due. Each settlement has its own pauses, so that one that can never be written does not delay others. */
  #tryDue(): void {
    // The ledger itself tests whether it can commit again. Until then every try would fail.
    if (this.#options.ledger.failing !== undefined) return
    const now_ms = performance.now()
    for (const entry of this.#waiting.values())
      if (!entry.trying && entry.due_ms <= now_ms) void this.#tryAgain(entry)
  }

  async #tryAgain(entry: Entry): Promise<void> {
    const { ledger, log } = this.#options
    entry.trying = true
    try {
      const outcome = await ledger.submit(entry.operation)
      this.#leave(entry)
      if (outcome.ok) {
        this.#outage.written++
        log.info(entry.fields, 'a delayed settlement was written')
      }
      entry.written(outcome)
      if (this.size === 0) logOutageOver(this.#outage, log)
    } catch (cause) {
      log.warn({ ...entry.fields, cause }, 'a settlement failed again')
      entry.refused = !(cause instanceof GatewayError && cause.kind === 'overloaded')
      entry.pause_ms = Math.min(entry.pause_ms * 2, entry.refused ? MAX_PAUSE_MS : MAX_UNAVAILABLE_PAUSE_MS)
      entry.due_ms = performance.now() + entry.pause_ms
    }
    entry.trying = false
    this.#onTried()
  }

  #leave({ operation }: Entry): void {
    this.#waiting.delete(operation.hold_id)
    this.#waiting_nanos -= costOf(operation)
    if (this.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

const outageFrom = (since_ms: number): Outage => ({ since_ms, kept: 0, written: 0 })

/** Logs the end of an outage. Unwritten settlements were refused, since their holds were already resolved; each refusal has its own log line. */
function logOutageOver({ since_ms, kept, written }: Outage, log: Logger): void {
  const lasted_ms = Math.round(performance.now() - since_ms)
  log.info({ kept, written, lasted_ms }, 'all delayed settlements are done')
}

const entryOf = (settlement: QueuedSettlement, pause_ms: number): Entry => ({
  ...settlement,
  pause_ms,
  due_ms: performance.now() + pause_ms,
  trying: false,
  refused: false,
})

function keepForNextStart(
  settlements: readonly UnwrittenSettlement[],
  { journal, log }: Pick<SettlementQueueOptions, 'journal' | 'log'>,
): void {
  if (settlements.length === 0) return
  try {
    journal(settlements.map(({ operation, hold, fields }) => ({ operation, hold, fields })))
    log.warn({ settlements: settlements.length }, 'settlements wait in the journal for the next start')
  } catch (cause) {
    for (const { fields } of settlements)
      log.error(
        { ...fields, cause },
        'the process stops before a settlement was written: its hold expires at the next start',
      )
  }
}

/** Returns the amount that a settlement takes from the balance: nothing if a plan covers the call. */
export const costOf = (operation: PostOperation | VoidOperation): Nanos =>
  operation.op === 'post' && !operation.is_covered ? operation.cost_nanos : 0
