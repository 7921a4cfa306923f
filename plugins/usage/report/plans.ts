// Plans in figures of calls: a fee is revenue when it is paid; the provider cost of covered calls is its cost.
import type { Nanos } from '../../../src/domain/money.ts'
import type { TimeRange } from '../../../src/domain/ranges.ts'
import { QUARTER_S } from '../../../src/money/ledger/days.ts'
import { feesByQuarter } from '../../../src/money/ledger/plan-fees.ts'
import type { CallTotals } from '../../../src/money/ledger/totals.ts'
import type { Db } from '../../../src/store/db.ts'

/** Adds fees of plans and the cost of covered calls to sums, which must be of a whole account or period. */
export const withPlans = <Sum extends CallTotals>(sum: Sum, fees_nanos: Nanos): Sum => ({
  ...sum,
  cost_nanos: sum.cost_nanos + fees_nanos,
  known_revenue_nanos: sum.known_revenue_nanos + fees_nanos,
  provider_cost_nanos: sum.provider_cost_nanos + sum.covered_cost_nanos,
})

/** Reads the fees paid in a period. @returns a function that gives the fees of a part of it, in whole quarters of an hour */
export async function readFees(
  db: Db,
  time: TimeRange,
  account_id: number | undefined,
): Promise<(part: TimeRange) => Nanos> {
  const fees = [...(await feesByQuarter(db, { ...time, account_id }))]
  const quarter_ms = QUARTER_S * 1_000
  return ({ from_ms, until_ms }) =>
    fees
      .filter(([start_s]) => start_s * 1_000 > from_ms - quarter_ms && start_s * 1_000 < until_ms)
      .reduce((sum, [, nanos]) => sum + nanos, 0)
}
