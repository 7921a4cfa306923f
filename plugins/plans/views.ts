// JSON views of plans: offers, and the plan of an account with its limits.
import { type Static, Type } from '@sinclair/typebox'
import { budgetsView, SpendLimitsView } from '../../src/access/limits-view.ts'
import { BUDGET_PERIODS, type BudgetPeriod } from '../../src/domain/budgets.ts'
import { Closed, Nullable, OneOf } from '../../src/http/schema.ts'
import { MoneyFields, money, NullableMoneyFields, TimeFields, time } from '../../src/http/views.ts'
import type { Db } from '../../src/store/db.ts'
import { creditFor, priceAfter } from './months.ts'
import type { Plan } from './settings.ts'
import { budgetsOfPeriod, periodIn } from './store.ts'
import type { PlanPeriod } from './tables.ts'

const TERMS = {
  models: Type.Array(Type.String(), { description: 'The covered models: IDs and patterns.' }),
  concurrent_calls: Nullable(
    Type.Integer({ description: 'Maximum number of concurrent covered calls; null: unlimited.' }),
  ),
  overflow: Type.Boolean({
    description:
      'Whether the balance pays for calls that the plan does not cover. Otherwise they are refused.',
  }),
}

export const PlanView = Closed(
  {
    plan: Type.String({ description: 'Its name.' }),
    title: Type.String({ description: 'Its title.' }),
    state: OneOf(['active', 'unpaid'], {
      description:
        '`unpaid`: the next month is not paid yet; calls are covered during a grace period of three days.',
    }),
    ...MoneyFields('price', 'The price of a month'),
    ...TimeFields('starts', 'Start of the month'),
    ...TimeFields('ends', 'End of the month'),
    ...TimeFields('covers_until', 'End of the coverage of calls without a further payment'),
    renews: Type.Boolean({ description: 'Whether another month follows.' }),
    next_plan: Nullable(
      Type.String({ description: 'The plan from the end of the month on; null: the same.' }),
    ),
    renews_by: OneOf(['balance', 'card'], {
      description: '`card`: the saved card is charged for the next month if the balance is too low.',
    }),
    ...TERMS,
    limits: {
      ...SpendLimitsView,
      description: 'Limits of covered calls, and what remains of them. The month is the paid month.',
    },
  },
  { description: 'The plan of the account.' },
)

export const QuoteBody = Closed(
  { priced_at_ms: Type.Integer(), due_nanos: Nullable(Type.Integer({ minimum: 0 })) },
  { description: 'The price that the page shows. The purchase is refused if the price differs.' },
)

/** Returns the view of an account's plan; null without one. */
export async function planView(
  db: Db,
  account_id: number,
  now_ms: number,
): Promise<Static<typeof PlanView> | null> {
  const active = await periodIn(db, account_id, 'active')
  if (!active || now_ms >= active.covers_until_ms) return null
  const { plan, title, price_nanos, concurrent_calls, overflow, models, renews, next_plan, ends_ms } = active
  const budgets = (await budgetsOfPeriod(db, active.id)).map((budget) =>
    budget.period === 'month' ? { ...budget, ends_ms } : budget,
  )
  return {
    plan,
    title,
    state: now_ms < ends_ms ? 'active' : 'unpaid',
    ...money('price', price_nanos),
    ...time('starts', active.starts_ms),
    ...time('ends', ends_ms),
    ...time('covers_until', active.covers_until_ms),
    renews: renews === 1,
    next_plan,
    renews_by: active.card_method === null ? 'balance' : 'card',
    models: JSON.parse(models),
    concurrent_calls,
    overflow: overflow === 1,
    limits: budgetsView(budgets.toSorted(byPeriod), now_ms),
  }
}

const byPeriod = (one: { period: BudgetPeriod }, other: { period: BudgetPeriod }): number =>
  BUDGET_PERIODS.indexOf(one.period) - BUDGET_PERIODS.indexOf(other.period)

export const OfferView = Closed({
  plan: Type.String({ description: 'its name' }),
  title: Type.String(),
  description: Type.String(),
  ...MoneyFields('price', 'the price of a month; for the account’s own plan, of its next month'),
  ...NullableMoneyFields(
    'due',
    'amount due now; null: the plan begins when the month ends, or the account has it',
  ),
  limits: Type.Array(Closed({ period: OneOf(BUDGET_PERIODS), ...MoneyFields('limit') })),
  ...TERMS,
})

/** Returns the view of an offered plan for an account. */
export function offerView(
  plan: Plan,
  { active, open }: { active: PlanPeriod | undefined; open: PlanPeriod | undefined },
  now_ms: number,
): Static<typeof OfferView> {
  const current = active && now_ms < active.ends_ms ? active : undefined
  const is_later = current && plan.price_nanos <= current.price_nanos
  // Within the grace period the terms of the ordered month hold.
  const next = !current && active && open?.follows_id === active.id && open.plan === plan.name
  const due_nanos = next
    ? open.due_nanos
    : current
      ? Math.max(0, plan.price_nanos - creditFor(current, now_ms))
      : plan.price_nanos
  return {
    plan: plan.name,
    title: plan.title,
    description: plan.description,
    ...money('price', priceAfter(active, plan)),
    ...money('due', is_later || current?.plan === plan.name ? null : due_nanos),
    limits: BUDGET_PERIODS.flatMap((period) => {
      const limit_nanos = plan.limits[period]
      return limit_nanos === undefined ? [] : [{ period, ...money('limit', limit_nanos) }]
    }),
    models: [...plan.models],
    concurrent_calls: plan.concurrent_calls,
    overflow: plan.overflow,
  }
}
