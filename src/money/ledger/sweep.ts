// The sweep: expires orphaned holds, which no known call will settle, so that their money is free again.

import type { Nanos } from '../../domain/money.ts'
import type { Db } from '../../store/db.ts'
import type { Hold } from '../../store/schema.ts'
import type { Ledger } from './operations.ts'
import { holdQueries } from './queries.ts'

export interface SweepResult {
  /** The holds that this sweep expired. */
  expired: Hold[]
  /** The most that their calls may have cost upstream. No account pays it unless they settle late: the operator's possible loss. */
  possible_loss_nanos: Nanos
}

interface SweepOptions {
  now_ms: number
  /** The sweeping gateway. */
  gateway_id: number
  /** Whether a running call of this process may still resolve the hold. */
  isUnderWay: (hold_id: number) => boolean
}

/**
 * Expires the pending holds of dead gateways, and this gateway's own holds whose call is past its time limit and not running: without
 * its hold, a running call could end in debt. Other living gateways expire their own.
 *
 * @param db any connection to the ledger's database; it is only read
 * @throws GatewayError if the ledger cannot commit; some of the holds may be expired then
 */
export async function expireOrphanedHolds(
  db: Db,
  ledger: Pick<Ledger, 'submit'>,
  { now_ms, gateway_id, isUnderWay }: SweepOptions,
): Promise<SweepResult> {
  const pending = await holdQueries(db).orphaned.all({ now_ms, gateway_id })
  const orphaned = pending.filter(({ id }) => !isUnderWay(id))
  const outcomes = await Promise.all(
    orphaned.map(({ id, request_id }) => ledger.submit({ op: 'expire', hold_id: id, request_id, now_ms })),
  )
  // A call may have resolved its hold since it was read.
  const expired = orphaned.filter((_, index) => outcomes[index]?.ok)
  return {
    expired,
    possible_loss_nanos: expired.reduce((sum, { amount_nanos }) => sum + amount_nanos, 0),
  }
}
