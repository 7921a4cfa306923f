// Holds that are decided at once, by the book in memory: when that may be, and when their rows are due.
import { MAX_BUSY_WAIT_MS } from '../db/busy.ts'
import type { Hold } from '../db/schema.ts'
import type { Executor } from './executor.ts'
import { blockedBy, errorOf, type Failure, failureOf } from './failure.ts'
import type { HoldOperation, HoldOutcome } from './operations.ts'

export interface DecidedHolds {
  /**
   * Decides a hold in this turn.
   *
   * @param is_busy operations are under way: a hold that is refused waits for them, since they may free what it lacks
   * @returns the outcome; undefined where the hold must wait for its batch. Rejects as `Ledger.submit`
   */
  decide(operation: HoldOperation, is_busy: boolean): Promise<HoldOutcome> | undefined
  /** Those whose rows are not written. */
  readonly unwritten: ReadonlyMap<number, Hold>
  /** Writes their rows. @returns why they are not written */
  write(): Promise<Failure | undefined>
  /** Is due no more. */
  stop(): void
}

export interface DecidedHoldsOptions {
  /** As in `LedgerOptions`. */
  blocked: () => string | undefined
  /** Whether nothing can be committed: a hold would be worth nothing. */
  isFailing: () => boolean
  /** Told once the first of them has waited for long enough, if no commit has written it. */
  onDue: () => void
}

/** By then the row of a hold is written: others read the tables. */
const MAX_UNWRITTEN_MS = 50

const NONE: ReadonlyMap<number, Hold> = new Map()

/** The decided holds of an executor; one that has none lets each wait for its batch. */
export function decidedHolds(
  { holds }: Pick<Executor, 'holds'>,
  { blocked, isFailing, onDue }: DecidedHoldsOptions,
): DecidedHolds {
  let due: ReturnType<typeof setTimeout> | undefined
  const write = (): void => {
    due = undefined
    onDue()
  }
  return {
    unwritten: holds?.unwritten ?? NONE,
    decide(operation, is_busy) {
      if (!holds || isFailing() || blocked() !== undefined) return undefined
      try {
        const outcome = holds.decide(operation)
        if (outcome.ok) due ??= setTimeout(write, MAX_UNWRITTEN_MS)
        return outcome.ok || !is_busy ? Promise.resolve(outcome) : undefined
      } catch (thrown) {
        return Promise.reject(errorOf(failureOf(thrown)))
      }
    },
    write: async () => blockedBy(blocked) ?? (await holds?.write(MAX_BUSY_WAIT_MS)),
    stop: () => clearTimeout(due),
  }
}
