// Spend of accounts in the last seven days of a time zone. Pace and low balance use days in UTC, so that pages and alerts agree.
import type { Nanos } from '../../src/domain/money.ts'
import type { Zone } from '../../src/domain/zones.ts'
import { keyDifferences } from '../../src/money/ledger/local-weeks.ts'
import { ACCOUNTS_AT_ONCE, type Spending } from '../../src/money/ledger/spending.ts'
import type { Db } from '../../src/store/db.ts'
import { endOfTurn } from '../../src/utilities/end-of-turn.ts'

/** Returns the spend of each account. @param spending the spending of these accounts by weeks in UTC */
export async function weekSpendOf(
  db: Db,
  spending: ReadonlyMap<number, Spending>,
  at: { now_ms: number; zone: Zone },
): Promise<Map<number, Nanos>> {
  const spent = new Map([...spending].map(([id, { week_nanos }]) => [id, week_nanos]))
  // The week of any time zone is within these fourteen days in UTC.
  const active = [...spending].flatMap(([id, { week_nanos, week_before_nanos }]) =>
    week_nanos + week_before_nanos > 0 ? [id] : [],
  )
  for (let start = 0; start < active.length; start += ACCOUNTS_AT_ONCE) {
    if (start > 0) await endOfTurn()
    const some = active.slice(start, start + ACCOUNTS_AT_ONCE)
    for (const { account_id, cost_nanos } of await keyDifferences(db, some, at))
      spent.set(account_id, (spent.get(account_id) ?? 0) + cost_nanos)
  }
  return spent
}
