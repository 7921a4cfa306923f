// Figures for resellers: customers' balances and debts, models sold below cost, and models with an unknown cost.
import { type Static, Type } from '@sinclair/typebox'
import { sql } from 'drizzle-orm'
import type { ConsoleParts } from '../../../src/app/surface/console/calls.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import type { Model } from '../../../src/domain/catalogue.ts'
import { marginOf } from '../../../src/domain/margin.ts'
import { Closed, Nullable } from '../../../src/http/schema.ts'
import { MoneyFields, money } from '../../../src/http/views.ts'
import { feesByAccount } from '../../../src/money/ledger/plan-fees.ts'
import { type CallTotals, totalOf } from '../../../src/money/ledger/totals.ts'
import type { Db } from '../../../src/store/db.ts'
import { perConnection } from '../../../src/store/prepared.ts'
import { accounts } from '../../../src/store/schema.ts'
import { SumView, sumView } from '../list.ts'
import { PLANS, type ReportRequest, reportOf } from '../report/report.ts'
import { includesAllCalls } from '../report/sums.ts'

export const ResaleView = Closed({
  /** The sum of all balances. */
  ...MoneyFields('owed'),
  /** The sum of all debts, and the number of accounts in debt. */
  ...MoneyFields('debts'),
  debtors: Type.Integer(),
  models: Type.Integer({ description: 'models that were called in the period' }),
  /** Null without plans, and for a filter by model, key or provider. */
  plans: Nullable(
    Closed({
      ...MoneyFields('fees', 'The fees that accounts paid for plans in the period'),
      calls: Type.Integer({ description: 'calls that plans covered' }),
      ...MoneyFields('covered', "Their cost at the account's price"),
      ...MoneyFields('provider_cost', 'The provider cost of these calls, as far as it is known'),
    }),
  ),
  /** Null without payments, and for a filter by model, key or provider. */
  payment_fees: Nullable(
    Closed({
      ...MoneyFields('amount', 'The fees that payment methods keep from the payments of the period'),
      unknown: Type.Integer({ description: 'payments whose fee is not known, or which have none' }),
      ...MoneyFields('margin', 'The margin less these fees'),
    }),
  ),
  below_cost: Type.Array(Type.Composite([Closed({ model: Type.String() }), SumView]), {
    description:
      'Models with a negative margin in the time, without the calls that plans covered, the greatest loss first.',
  }),
  cost_unknown: Type.Array(Type.String(), {
    description: 'Models with calls of unknown cost in the time, of which a route still has no cost.',
  }),
})

const queries = perConnection({
  balances: (orm) =>
    orm
      .select({
        owed_nanos: totalOf(accounts.balance_nanos, sql`${accounts.balance_nanos} > 0`),
        debts_nanos: totalOf(accounts.debt_nanos),
        debtors: sql<number>`count(*) FILTER (WHERE ${accounts.debt_nanos} > 0)`,
      })
      .from(accounts),
})

export async function resaleView(
  { db, calls, operations }: Pick<ConsoleParts, 'db' | 'calls'> & Pick<Gateway, 'operations'>,
  request: Pick<ReportRequest, 'filter' | 'from_ms' | 'until_ms' | 'zone'>,
): Promise<Static<typeof ResaleView>> {
  const { owed_nanos = 0, debts_nanos = 0, debtors = 0 } = (await queries(db).balances.get()) ?? {}
  const report = await reportOf(db, { ...request, by: 'model', order: 'margin', with_plans: true })
  const rows = report.rows.filter(({ name }) => name !== PLANS)
  const { models } = calls.catalogue()
  const hasNoCost = (one: Model | undefined) => one?.routes.some(({ cost }) => cost === undefined) ?? false
  return {
    ...money('owed', owed_nanos),
    ...money('debts', debts_nanos),
    debtors,
    models: rows.length,
    plans: await plansView(db, request, report.total),
    payment_fees: await feesView({ db, operations }, request, report.total),
    below_cost: rows
      .filter(({ known_revenue_nanos, provider_cost_nanos }) => known_revenue_nanos < provider_cost_nanos)
      .map((row) => ({ model: row.name, ...sumView('operator', row) })),
    cost_unknown: rows
      .filter(({ name, uncosted_calls }) => uncosted_calls > 0 && hasNoCost(models.get(name)))
      .map(({ name }) => name),
  }
}

async function plansView(
  db: Db,
  { filter, ...time }: Pick<ReportRequest, 'filter' | 'from_ms' | 'until_ms'>,
  { covered_calls, covered_nanos, covered_cost_nanos }: CallTotals,
): Promise<Static<typeof ResaleView>['plans']> {
  if (!includesAllCalls(filter)) return null
  const fees = await feesByAccount(db, { ...time, account_id: filter.account_id })
  const fees_nanos = [...fees.values()].reduce((sum, nanos) => sum + nanos, 0)
  if (fees_nanos === 0 && covered_calls === 0) return null
  return {
    ...money('fees', fees_nanos),
    calls: covered_calls,
    ...money('covered', covered_nanos),
    ...money('provider_cost', covered_cost_nanos),
  }
}

async function feesView(
  { db, operations }: Pick<Gateway, 'db' | 'operations'>,
  { filter, from_ms, until_ms }: Pick<ReportRequest, 'filter' | 'from_ms' | 'until_ms'>,
  total: CallTotals,
): Promise<Static<typeof ResaleView>['payment_fees']> {
  if (!includesAllCalls(filter)) return null
  let [fees_nanos, unknown] = [0, 0]
  for (const { read } of operations.selling_costs) {
    const fees = await read(db, { from_ms, until_ms, account_id: filter.account_id })
    fees_nanos += fees.amount_nanos
    unknown += fees.unknown
  }
  if (fees_nanos === 0 && unknown === 0) return null
  const margin_nanos = marginOf(total)?.margin_nanos ?? 0
  return { ...money('amount', fees_nanos), unknown, ...money('margin', margin_nanos - fees_nanos) }
}
