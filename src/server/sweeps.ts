// Regular sweeps beside the calls: holds whose calls are gone, what is past its time, missing images that are back.
import { expireOrphanedHolds } from '../ledger/sweep.ts'
import { findMissing } from '../library/missing.ts'
import type { Gateway } from '../surface/gateway.ts'
import { reportFound, reportSwept } from './reports.ts'
import type { Stores } from './stores.ts'

export interface SweepOptions {
  stores: Stores
  every_ms: number
}

/**
 * Sweeps every `every_ms`. A sweep that fails is logged, and the next one tries again.
 *
 * @returns what stops it
 */
export function sweepRegularly(
  { running, sessions, log, now }: Pick<Gateway, 'running' | 'sessions' | 'log' | 'now'>,
  { stores, every_ms }: SweepOptions,
): () => void {
  const { db, ledger, settlements, idempotency, library, responses } = stores
  /** Its call is not over, or its settlement waits to be written. */
  const isUnderWay = (hold_id: number) => running.isUnderWay(hold_id) || settlements.has(hold_id)
  const sweep = async () => {
    reportSwept(await expireOrphanedHolds(db, ledger, now(), { all: false, isUnderWay }), log)
    await idempotency.sweep()
    await responses.sweep()
    await sessions.sweep()
    reportFound(await findMissing(library), log)
  }
  const timer = setInterval(
    () => void sweep().catch((cause) => log.error({ cause }, 'sweep failed')),
    every_ms,
  )
  return () => clearInterval(timer)
}
