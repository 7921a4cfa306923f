// The plans of a batch's accounts on PostgreSQL: read under their locks, if an operation may belong to a covered call.
import type { Answer, Statement } from '../../../store/engines/postgres/connection.ts'
import { objectsOf } from '../../../store/engines/postgres/one-connection.ts'
import { BUDGET_COLUMNS, PLAN_COLUMNS, type StoredPlan } from '../budget-rows.ts'
import type { Operation } from '../operations.ts'

interface PlanReader {
  /** One, or none. */
  readonly statements: readonly Statement[]
  /** @param answers one for each statement @returns the plans by account */
  plansIn(answers: readonly Answer[]): Map<number, StoredPlan>
}

/** @param accounts, holds SQL arrays of the ids in the operations */
export const planReader = (
  operations: readonly Operation[],
  accounts: string,
  holds: string,
): PlanReader => ({
  statements: operations.some(mayBeCovered) ? [{ text: PLANS, values: [accounts, holds] }] : [],
  plansIn: ([answer]) =>
    new Map(answer ? objectsOf<StoredPlan>(answer).map((plan) => [plan.account_id, plan]) : []),
})

/** Whether an operation may belong to a covered call. An expiry does not know its hold's plan. */
const mayBeCovered = (operation: Operation): boolean =>
  operation.op === 'expire' ||
  ('is_covered' in operation && operation.is_covered === true) ||
  ('model_id' in operation && operation.model_id !== undefined)

const PLANS = `
  SELECT ${PLAN_COLUMNS},
         (SELECT json_agg(json_build_array(${BUDGET_COLUMNS}))::text FROM budgets WHERE budgets.plan_period_id = plan_periods.id) AS budgets
    FROM accounts JOIN plan_periods ON plan_periods.id = accounts.plan_period_id
   WHERE accounts.id = ANY(ARRAY(SELECT unnest($1::bigint[]) UNION SELECT account_id FROM holds WHERE id = ANY($2::bigint[])))`
