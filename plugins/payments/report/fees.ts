// Fees of payment methods for the payments of some time, in nano-dollars by the rate of each order.
import { minorDigits, shareOf } from '../../../src/domain/currencies.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import type { TimeRange } from '../../../src/domain/ranges.ts'
import type { Db } from '../../../src/store/db.ts'

interface FeeSum {
  currency: string
  rate_nanos: Nanos
  fee_minor: number
  unknown: number
}

/** The fees of live payments by when they were paid, as the payment methods report them; those that have not are counted. */
export async function paymentFees(
  db: Db,
  { from_ms, until_ms, account_id }: TimeRange & { account_id: number | undefined },
): Promise<{ amount_nanos: Nanos; unknown: number }> {
  const sums = await db.rows<FeeSum>(FEES, { from_ms, until_ms, account_id: account_id ?? null })
  return {
    amount_nanos: sums.reduce((total, sum) => total + nanosOf(sum), 0),
    unknown: sums.reduce((total, { unknown }) => total + unknown, 0),
  }
}

const nanosOf = ({ currency, rate_nanos, fee_minor }: FeeSum): Nanos =>
  shareOf(rate_nanos, fee_minor, 10 ** minorDigits(currency))

/** By the rate, so that few rows leave the database. */
const FEES = `
  SELECT currency, rate_nanos, CAST(coalesce(sum(fee_minor), 0) AS BIGINT) AS fee_minor,
         CAST(sum(CASE WHEN fee_minor IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS unknown
    FROM orders
   WHERE paid_at_ms >= $from_ms AND paid_at_ms < $until_ms AND is_live = 1 AND state NOT IN ('open', 'expired', 'cancelled')
     AND (CAST($account_id AS BIGINT) IS NULL OR account_id = $account_id)
   GROUP BY currency, rate_nanos`
