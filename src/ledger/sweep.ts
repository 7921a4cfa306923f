// The sweep: expires orphaned holds, which no call is known to settle any more, so that their money is free again.
import type { Db } from '../db/db.ts'
import type { Hold } from '../db/schema.ts'
import type { Nanos } from '../domain/money.ts'
import type { Ledger } from './operations.ts'
import { holdQueries } from './queries.ts'

export interface Swept {
  /** The holds that this sweep expired. */
  expired: Hold[]
  /** The most that their calls may have cost upstream, which no account is charged for unless they settle late: the operator's possible loss. */
  possible_loss_nanos: Nanos
}

/**
 * Expires pending holds. At the start of the only server, all of them: the process that opened them is dead. Later,
 * those whose call is past its time limit and no longer running: without its hold a running call may end in debt.
 *
 * @param db any connection to the ledger's database; only read from
 * @param options `all`: whatever their time limit; `isUnderWay`: whether a hold's call may still resolve it
 * @throws GatewayError when the ledger cannot commit; some of the holds may have been expired then
 */
export async function expireOrphanedHolds(
  db: Db,
  ledger: Pick<Ledger, 'submit'>,
  now_ms: number,
  options: { all: boolean; isUnderWay?: (hold_id: number) => boolean },
): Promise<Swept> {
  const expired_by_ms = options.all ? Number.MAX_SAFE_INTEGER : now_ms
  const pending = await holdQueries(db).pending.all({ expired_by_ms })
  const orphaned = pending.filter(({ id }) => !options.isUnderWay?.(id))
  const outcomes = await Promise.all(
    orphaned.map(({ id }) => ledger.submit({ op: 'expire', hold_id: id, now_ms })),
  )
  // A call may have resolved its hold since it was read.
  const expired = orphaned.filter((_, index) => outcomes[index]?.ok)
  return {
    expired,
    possible_loss_nanos: expired.reduce((sum, { amount_nanos }) => sum + amount_nanos, 0),
  }
}
