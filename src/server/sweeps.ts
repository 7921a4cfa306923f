// Regular sweeps beside the calls: holds whose calls are gone, answers and responses past their time, missing images that are back.
import type { RunningCalls } from '../exchange/running.ts'
import { expireOrphanedHolds } from '../ledger/sweep.ts'
import { findMissing } from '../library/missing.ts'
import type { Logger } from '../observe/log.ts'
import { reportFound, reportSwept } from './reports.ts'
import type { Stores } from './stores.ts'

export interface SweepOptions {
  stores: Stores
  running: RunningCalls
  log: Logger
  now: () => number
  every_ms: number
}

/**
 * Sweeps every `every_ms`. A sweep that fails is logged, and the next one tries again.
 *
 * @returns what stops it
 */
export function sweepRegularly({ stores, running, log, now, every_ms }: SweepOptions): () => void {
  const { db, ledger, settlements, idempotency, library, responses } = stores
  /** Its call is not over, or its settlement waits to be written. */
  const isUnderWay = (hold_id: number) => running.isUnderWay(hold_id) || settlements.has(hold_id)
  const sweep = async () => {
    reportSwept(await expireOrphanedHolds(db, ledger, now(), { all: false, isUnderWay }), log)
    await idempotency.sweep()
    await responses.sweep()
    reportFound(await findMissing(library), log)
  }
  const timer = setInterval(
    () => void sweep().catch((cause) => log.error({ cause }, 'sweep failed')),
    every_ms,
  )
  return () => clearInterval(timer)
}
