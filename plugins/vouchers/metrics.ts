// Metrics of vouchers: number by state, credits of redeemed ones, and value of unused ones.
import { sql } from 'drizzle-orm'
import { NANOS_PER_USD } from '../../src/domain/money.ts'
import type { ValueMetric } from '../../src/observe/metric.ts'
import type { Db } from '../../src/store/db.ts'
import { perConnection } from '../../src/store/prepared.ts'
import { unusedVoucherNanos } from './store.ts'
import { vouchers } from './tables.ts'

export function voucherMetrics(db: Db, now: () => number): ValueMetric[] {
  const sums = async () => await queries(db).sums.all()
  return [
    {
      name: 'tollgate_vouchers',
      help: 'Vouchers by their state.',
      type: 'gauge',
      labels: ['state'],
      values: async () => (await sums()).map(({ state, count }) => [{ state }, count]),
    },
    {
      name: 'tollgate_vouchers_redeemed_usd_total',
      help: 'Credits of redeemed vouchers.',
      type: 'counter',
      labels: [],
      per: NANOS_PER_USD,
      values: async () =>
        (await sums()).flatMap(({ state, nanos }) =>
          state === 'redeemed' ? [[{}, Number(nanos)] as const] : [],
        ),
    },
    {
      name: 'tollgate_vouchers_unused_usd',
      help: 'Value of unused vouchers that have not expired.',
      type: 'gauge',
      labels: [],
      per: NANOS_PER_USD,
      values: async () => [[{}, await unusedVoucherNanos(db, now())]],
    },
  ]
}

const queries = perConnection({
  sums: (orm) =>
    orm
      .select({
        state: vouchers.state,
        count: sql<number>`count(*)`,
        nanos: sql<number>`sum(${vouchers.amount_nanos})`,
      })
      .from(vouchers)
      .groupBy(vouchers.state),
})
