// Metrics of payments: orders, credits, fees, refreshes and refused webhooks.
import { sql } from 'drizzle-orm'
import { minorDigits } from '../../src/domain/currencies.ts'
import { NANOS_PER_USD } from '../../src/domain/money.ts'
import type { ValueMetric } from '../../src/observe/metric.ts'
import type { Tally } from '../../src/observe/tally.ts'
import type { Db } from '../../src/store/db.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { wasPaid } from './states.ts'
import { orders } from './tables.ts'

interface Sources {
  db: Db
  looks: Pick<Tally, 'all'>
  refused: Pick<Tally, 'all'>
}

export function paymentMetrics({ db, looks, refused }: Sources): ValueMetric[] {
  const sums = async () => await queries(db).sums.all()
  const paid = async () => (await sums()).filter(({ state }) => wasPaid(state))
  const tallied = (of: Pick<Tally, 'all'>) => () =>
    [...of.all()].map(({ labels, count }) => [labels, count] as const)
  return [
    {
      name: 'tollgate_orders',
      help: 'Orders by their state. Without those of test mode, as all metrics of orders.',
      type: 'gauge',
      labels: ['method', 'state'],
      values: async () => (await sums()).map(({ method, state, count }) => [{ method, state }, count]),
    },
    {
      name: 'tollgate_orders_credited_usd_total',
      help: 'Credits of paid orders, with their bonuses; refunds are not subtracted.',
      type: 'counter',
      labels: ['method'],
      per: NANOS_PER_USD,
      values: async () => (await paid()).map(({ method, credited_nanos }) => [{ method }, credited_nanos]),
    },
    {
      name: 'tollgate_payment_fees_total',
      help: 'Fees of payments as the payment method reports them, in the currency of the payment.',
      type: 'counter',
      labels: ['method', 'currency'],
      values: async () =>
        (await paid()).map(({ method, currency, fee_minor }) => [
          { method, currency },
          fee_minor / 10 ** minorDigits(currency),
        ]),
    },
    {
      name: 'tollgate_payment_looks_total',
      help: 'Checks of payments at the payment method by this gateway, by result: answered or failed.',
      type: 'counter',
      labels: ['method', 'result'],
      values: tallied(looks),
    },
    {
      name: 'tollgate_payment_webhooks_refused_total',
      help: 'Webhooks that this gateway refused because their signature was wrong or missing.',
      type: 'counter',
      labels: ['method'],
      values: tallied(refused),
    },
  ]
}

const queries = perConnection({
  sums: (orm) =>
    orm
      .select({
        method: orders.provider,
        state: orders.state,
        currency: orders.currency,
        count: sql<number>`count(*)`,
        credited_nanos: sql<number>`coalesce(sum(${orders.credit_nanos} + ${orders.bonus_nanos}), 0)`,
        fee_minor: sql<number>`coalesce(sum(${orders.fee_minor}), 0)`,
      })
      .from(orders)
      .where(sql`${orders.is_live} = 1`)
      .groupBy(orders.provider, orders.state, orders.currency),
})
