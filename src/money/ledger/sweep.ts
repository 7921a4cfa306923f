// The sweep: expires orphaned holds, which no call is known to settle any more, so that their money is free again.

import type { Nanos } from '../../domain/money.ts'
import type { Db } from '../../store/db.ts'
import type { Hold } from '../../store/schema.ts'
import type { Ledger } from './operations.ts'
import { holdQueries } from './queries.ts'

export interface Swept {
  /** The holds that this sweep expired. */
  expired: Hold[]
  /** The most that their calls may have cost upstream, which no account is charged for unless they settle late: the operator's possible loss. */
  possible_loss_nanos: Nanos
}

interface Sweeping {
  now_ms: number
  /** The gateway that sweeps. */
  gateway_id: number
  /** Whether a hold's call may still resolve it, here. */
  isUnderWay: (hold_id: number) => boolean
}

/**
 * Expires the pending holds of gateways that are dead, and the own ones whose call is past its time limit and not under way: without
 * its hold a running call may end in debt. Those of another gateway that is alive are its own to expire.
 *
 * @param db any connection to the ledger's database; only read from
 * @throws GatewayError when the ledger cannot commit; some of the holds may have been expired then
 */
export async function expireOrphanedHolds(
  db: Db,
  ledger: Pick<Ledger, 'submit'>,
  { now_ms, gateway_id, isUnderWay }: Sweeping,
): Promise<Swept> {
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
