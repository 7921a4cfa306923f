// Regular sweeps beside the calls: holds whose calls are gone, what is past its time, missing images that are back; and the upkeep of calls.
import { sweepSharedImageRate } from '../access/image-rate.ts'
import { sweepActions } from '../db/actions.ts'
import { sweepCallRates } from '../db/postgres/call-rates.ts'
import { expireOrphanedHolds } from '../ledger/sweep.ts'
import { findMissing } from '../library/missing.ts'
import type { Gateway } from '../surface/gateway.ts'
import { endedOthers, followOthers } from './among-others.ts'
import { isEldest } from './engine/own-gateway.ts'
import { reportSwept } from './reports.ts'
import type { Stores } from './stores.ts'
import { createUpkeep, type UpkeepParts } from './upkeep.ts'

export interface SweepOptions extends Pick<UpkeepParts, 'closed' | 'after'> {
  stores: Stores
  every_ms: number
}

/**
 * Sweeps every `every_ms`. A sweep that fails is logged, and the next one tries again.
 *
 * @returns what stops it
 */
export function sweepRegularly(
  { exchange: { running, catalogue, log, now }, people: { sessions } }: Pick<Gateway, 'exchange' | 'people'>,
  { stores, every_ms, closed, after }: SweepOptions,
): () => Promise<void> {
  const { gateway_id, own_gateway, engine, db, ledger } = stores
  const { settlements, idempotency, files, library, responses, refusals } = stores
  /** Its call is not over, or its settlement waits to be written. */
  const isUnderWay = (hold_id: number) => running.isUnderWay(hold_id) || settlements.has(hold_id)
  const sweep = async () => {
    await own_gateway.endSilent()
    const ended = await endedOthers(stores)
    reportSwept(await expireOrphanedHolds(db, ledger, { now_ms: now(), gateway_id, isUnderWay }), log)
    await followOthers(stores, ended, log)
    await idempotency.sweep()
    await responses.sweep()
    await refusals.sweep()
    await sessions.sweep()
    await sweepActions(db)
    if (engine.is_shared) {
      await sweepSharedImageRate(db)
      await sweepCallRates(db)
    }
    // In a bucket each would be a request: the next look at an image finds it.
    const found_files = files.bucket ? 0 : await findMissing(library)
    if (found_files > 0) log.info({ found_files }, 'missing images are back')
  }
  const upkeep = createUpkeep({ db, catalogue, closed, log, now, after })
  // Beside the sweep, since it may take minutes. Of several gateways one does it.
  const keepUp = () => {
    if (isEldest(own_gateway))
      void upkeep.run().catch((cause) => log.error({ cause }, 'the upkeep of calls failed'))
  }
  const timer = setInterval(() => {
    void sweep().catch((cause) => log.error({ cause }, 'sweep failed'))
    keepUp()
  }, every_ms)
  keepUp()
  return () => {
    clearInterval(timer)
    return upkeep.stop()
  }
}
