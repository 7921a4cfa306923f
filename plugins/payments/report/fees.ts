// Fees of payment methods in a time range, converted to nano-dollars by the rate of each order.
import { minorDigits, shareOf } from '../../../src/domain/currencies.ts'
import type { Nanos } from '../../../src/domain/money.ts'
import { DAY_MS, type TimeRange } from '../../../src/domain/ranges.ts'
import type { Db } from '../../../src/store/db.ts'
import { endOfTurn } from '../../../src/utilities/end-of-turn.ts'

interface FeeSum {
  currency: string
  rate_nanos: Nanos
  fee_minor: number
  unknown: number
}

/** Time range of one query: a thousand payments take about 3 ms. */
const BATCH_MS = DAY_MS

/**
 * Sums the reported fees of live payments by their payment time, and counts payments without a reported fee. Reads a day at a time, so that
 * other work can run in between.
 */
export async function paymentFees(
  db: Db,
  { from_ms, until_ms, account_id = null }: TimeRange & { account_id: number | null | undefined },
): Promise<{ amount_nanos: Nanos; unknown: number }> {
  const first_ms = (await db.rows<{ at_ms: number | null }>(FIRST, {}))[0]?.at_ms
  const total = { amount_nanos: 0, unknown: 0 }
  if (typeof first_ms !== 'number') return total
  for (let since_ms = Math.max(from_ms, first_ms); since_ms < until_ms; since_ms += BATCH_MS) {
    const part = { from_ms: since_ms, until_ms: Math.min(since_ms + BATCH_MS, until_ms), account_id }
    for (const sum of await db.rows<FeeSum>(FEES, part)) {
      total.amount_nanos += nanosOf(sum)
      total.unknown += sum.unknown
    }
    await endOfTurn()
  }
  return total
}

const nanosOf = ({ currency, rate_nanos, fee_minor }: FeeSum): Nanos =>
  shareOf(rate_nanos, fee_minor, 10 ** minorDigits(currency))

const FIRST = 'SELECT min(paid_at_ms) AS at_ms FROM orders WHERE paid_at_ms IS NOT NULL'

/** Grouped by rate, so that few rows leave the database. */
const FEES = `
  SELECT currency, rate_nanos, CAST(coalesce(sum(fee_minor), 0) AS BIGINT) AS fee_minor,
         CAST(sum(CASE WHEN fee_minor IS NULL THEN 1 ELSE 0 END) AS BIGINT) AS unknown
    FROM orders
   WHERE paid_at_ms >= $from_ms AND paid_at_ms < $until_ms AND is_live = 1 AND state NOT IN ('open', 'expired', 'cancelled')
     AND (CAST($account_id AS BIGINT) IS NULL OR account_id = $account_id)
   GROUP BY currency, rate_nanos`
