// Owns the holds that their calls left behind: finds them, and has the ledger give their money back.
import type { Database } from 'bun:sqlite'
import { and, eq, lte } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/bun-sqlite'
import { type Hold, holds } from '../db/schema.ts'
import type { Nanos } from '../domain/money.ts'
import type { Ledger } from './operations.ts'

export interface Swept {
  /** The holds that were expired by this sweep. */
  expired: Hold[]
  /** The most that their calls may have cost upstream, which no account is charged for: the operator's possible loss. */
  possible_loss_nanos: Nanos
}

/**
 * Expires pending holds: at the start of the only server all of them, which a dead process left; later those whose
 * call's time limit has passed and that no call waits to resolve, for it would be served for nothing.
 *
 * @param db any connection to the ledger's database; only read from
 * @param options `all`: whatever their time limit; `isUnderWay`: whether a hold's call may still resolve it
 * @throws GatewayError when the ledger cannot commit; some of the holds may have been expired then
 */
export async function expireLeftBehind(
  db: Database,
  ledger: Pick<Ledger, 'submit'>,
  now_ms: number,
  options: { all: boolean; isUnderWay?: (hold_id: number) => boolean },
): Promise<Swept> {
  const late = options.all ? undefined : lte(holds.expires_at_ms, now_ms)
  const pending = drizzle({ client: db })
    .select()
    .from(holds)
    .where(and(eq(holds.state, 'pending'), late))
    .all()
    .filter(({ id }) => !options.isUnderWay?.(id))
  const outcomes = await Promise.all(
    pending.map(({ id }) => ledger.submit({ op: 'expire', hold_id: id, now_ms })),
  )
  const expired = pending.filter((_, index) => outcomes[index]?.ok)
  return {
    expired,
    possible_loss_nanos: expired.reduce((sum, { amount_nanos }) => sum + amount_nanos, 0),
  }
}
