// Budgets of imported accounts and keys, which start with their use at the other gateway.
import { BUDGET_PERIODS, type BudgetPeriod, periodStart } from '../domain/budgets.ts'
import type { Nanos } from '../domain/money.ts'
import type { Tx } from '../store/db.ts'
import { NEWEST_HOLD_SQL } from '../store/newest-hold.ts'
import { type BudgetRow, budgets } from '../store/schema.ts'
import { batchesOf } from '../utilities/batches.ts'
import { BUDGET_NAMES, type BudgetChanges, type BudgetOwner } from './budgets.ts'
import { usdOrNull } from './key-fields.ts'

/** Spend at the other gateway that counts against budgets, by period. Not for five hours, which begin with a call here. */
export type BudgetUse = { readonly [Period in BudgetPeriod]?: Nanos }

export interface ImportedBudgets {
  readonly budgets: BudgetChanges
  readonly budgets_used?: BudgetUse | undefined
}

/** Keeps the number of parameters far below the limit of a statement. */
export const MAX_ROWS = 500

/** Inserts the budgets of new owners, in the transaction that created them. They have no calls here yet. */
export async function insertBudgets(
  tx: Tx,
  owners: readonly (BudgetOwner & ImportedBudgets)[],
  now_ms: number,
): Promise<void> {
  const limited = owners.filter(({ budgets }) => Object.values(budgets).some((limit) => limit != null))
  if (limited.length === 0) return
  const [newest] = await tx.rows<{ id: number }>(`SELECT ${NEWEST_HOLD_SQL} AS id`)
  const first_hold_id = (newest?.id ?? 0) + 1
  const rows = limited.flatMap(({ account_id, key_id, budgets: limits, budgets_used = {} }) =>
    BUDGET_PERIODS.flatMap((period): Omit<BudgetRow, 'id'>[] => {
      const limit_nanos = limits[period]
      if (limit_nanos === undefined || limit_nanos === null) return []
      const of = { person_id: null, plan_period_id: null }
      const own = { account_id, key_id, ...of, period, limit_nanos }
      // A period of five hours begins with the next call.
      if (period === '5h') return [{ ...own, started_ms: null, first_hold_id: 0, used_nanos: 0 }]
      const started_ms = periodStart(period, now_ms)
      return [{ ...own, started_ms, first_hold_id, used_nanos: budgets_used[period] ?? 0 }]
    }),
  )
  for (const part of batchesOf(rows, MAX_ROWS)) await tx.orm.insert(budgets).values(part)
}

/** Formats limits for the audit log. */
export const limitFields = (limits: BudgetChanges) =>
  Object.fromEntries(
    BUDGET_PERIODS.flatMap((period) => {
      const nanos = limits[period] ?? null
      return nanos === null ? [] : [[`${BUDGET_NAMES[period]}_usd`, usdOrNull(nanos)]]
    }),
  )
