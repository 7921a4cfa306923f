// Plan fees: the accounts' payments for months, at the time of payment, less refunds. Read only.
import type { Nanos } from '../../domain/money.ts'
import type { TimeRange } from '../../domain/ranges.ts'
import type { Db } from '../../store/db.ts'

interface FeeRequest extends TimeRange {
  /** Absent: all accounts. */
  account_id?: number | undefined
}

/** Returns the fees of a time range by account. */
export const feesByAccount = (db: Db, request: FeeRequest): Promise<Map<number, Nanos>> =>
  feesBy(db, 'plan_periods.account_id', request)

/** Returns the fees of a time range by quarter of an hour: its start in seconds since 1970. */
export const feesByQuarter = (db: Db, request: FeeRequest): Promise<Map<number, Nanos>> =>
  feesBy(db, 'at_ms / 900000 * 900', request)

async function feesBy(
  db: Db,
  group: string,
  { from_ms, until_ms, account_id }: FeeRequest,
): Promise<Map<number, Nanos>> {
  const values = { from_ms, until_ms, account_id: account_id ?? null }
  const rows = await db.rows<{ of: number; nanos: Nanos }>(feesSql(group), values)
  return new Map(rows.map(({ of, nanos }) => [of, nanos]))
}

const IN_TIME = `at_ms >= $from_ms AND at_ms < $until_ms
             AND (CAST($account_id AS BIGINT) IS NULL OR plan_periods.account_id = $account_id)`

/**
 * The payment's time is that of the state change, which shares a transaction with the entry. A refund is subtracted at the time when
 * it ended the plan. Literal conditions, so that the partial indexes apply.
 */
const feesSql = (group: string) => `
  SELECT "of", CAST(sum(nanos) AS BIGINT) AS nanos
    FROM (SELECT ${group} AS "of", due_nanos AS nanos
            FROM state_changes JOIN plan_periods ON plan_periods.id = subject_id
           WHERE subject = 'plan_periods' AND to_state = 'paid' AND due_nanos > 0 AND ${IN_TIME}
          UNION ALL
          SELECT ${group}, -returned_nanos
            FROM plan_periods JOIN state_changes ON subject = 'plan_periods' AND subject_id = plan_periods.id
           WHERE returned_nanos > 0 AND to_state = 'ended' AND ${IN_TIME}) AS fees
   GROUP BY 1`
