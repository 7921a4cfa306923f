// The state of every hold, including settled ones, whose rows are deleted: their state is read from the row of the call.
import type { Database } from 'bun:sqlite'
import type { Ledger } from '../../src/money/ledger/operations.ts'
import { expireOrphanedHolds, type SweepResult } from '../../src/money/ledger/sweep.ts'
import type { Db } from '../../src/store/db.ts'
import { endGateway } from '../../src/store/gateways.ts'
import type { Hold } from '../../src/store/schema.ts'

export type HoldOutcome = Omit<Hold, 'state'> & { state: Hold['state'] | 'posted' | 'voided' }

/** All holds, including settled ones, by id. */
export const holdOutcomes = (db: Database): HoldOutcome[] =>
  db
    .query<HoldOutcome, []>(
      `SELECT * FROM holds UNION ALL
       SELECT id, account_id, key_id, request_id, hold_nanos, CASE WHEN price = '' AND price_id IS NULL THEN 'voided' ELSE 'posted' END,
              started_at_ms, started_at_ms, NULL, covered_nanos, plan_period_id FROM calls
       ORDER BY id`,
    )
    .all()

/** Acts as another gateway that treats the first one of a database as dead. */
export async function expireHoldsOfDeadGateway(db: Db, ledger: Ledger): Promise<SweepResult> {
  const now_ms = Date.now()
  await endGateway(db, 1, now_ms)
  return await expireOrphanedHolds(db, ledger, { now_ms, gateway_id: 2, isUnderWay: () => false })
}
