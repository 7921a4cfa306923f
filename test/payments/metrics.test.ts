// The metrics of payments, plans and vouchers: each equals a plain sum over the rows, and Prometheus' format is kept.
import { expect, test } from 'bun:test'
import { render } from '../../plugins/metrics/exposition.ts'
import { paymentMetrics } from '../../plugins/payments/metrics.ts'
import { ORDER_STATES, type Order } from '../../plugins/payments/tables.ts'
import { createCoveredSums, planMetrics } from '../../plugins/plans/metrics.ts'
import { insertPeriod } from '../../plugins/plans/store.ts'
import { PERIOD_STATES, type PlanPeriod } from '../../plugins/plans/tables.ts'
import { voucherMetrics } from '../../plugins/vouchers/metrics.ts'
import { insertBatch, insertVouchers } from '../../plugins/vouchers/store.ts'
import { VOUCHER_STATES, type VoucherRow } from '../../plugins/vouchers/tables.ts'
import { createTally } from '../../src/observe/tally.ts'
import type { Db } from '../../src/store/db.ts'
import { accountText } from '../money/ledger/postgres-world.ts'
import { readExposition } from '../support/exposition.ts'
import { ENGINES, NOW, openWorld, type World } from './world.ts'

const run = (db: Db, text: string) => db.write((within) => within.rows(text))

/** Orders of each state and currency, by two methods, some in test mode, and some without a fee. */
async function addOrders({ startOrder, db }: World): Promise<void> {
  for (const [at, [state, currency]] of ORDER_STATES.flatMap((state) =>
    ['EUR', 'USD', 'JPY', 'EUR'].map((currency) => [state, currency] as const),
  ).entries()) {
    const { id } = await startOrder({ currency, amount_minor: 1_000 + at })
    await run(
      db,
      `UPDATE orders SET state = '${state}', provider = '${at % 3 === 0 ? 'stripe' : 'manual'}', bonus_nanos = ${at * 5},
        fee_minor = ${at % 4 === 0 ? 'NULL' : 7 + at}, is_live = ${at % 5 === 0 ? 0 : 1} WHERE id = ${id}`,
    )
  }
}

/** Months of each state: a first one, one that renews it, and one that replaces it; each in an account of its own. */
async function addMonths({ db }: World): Promise<number[]> {
  const ids: number[] = []
  const terms = {
    title: 'A',
    price_nanos: 5,
    due_nanos: 5,
    models: '[]',
    limits: '{}',
    concurrent_calls: null,
    overflow: 0,
  }
  for (const state of PERIOD_STATES)
    for (const plan of ['pro', 'max', 'pro'])
      for (const starts_ms of [10, 20, 15]) {
        const account_id = 100 + ids.length
        await run(db, accountText(account_id))
        const times = {
          anchor_ms: starts_ms,
          month_number: 1,
          starts_ms,
          ends_ms: starts_ms + 10,
          covers_until_ms: starts_ms + 13,
        }
        const follows_id = starts_ms === 10 ? null : (ids[0] ?? null)
        const { id } = await db.begin((tx) =>
          insertPeriod(tx, { ...terms, ...times, account_id, plan, follows_id, created_at_ms: 1 }),
        )
        // The days of grace of the first end at 23.
        const changed_at_ms = plan === 'max' ? 22 : 23
        await run(
          db,
          `UPDATE plan_periods SET state = '${state}', changed_at_ms = ${changed_at_ms} WHERE id = ${id}`,
        )
        ids.push(id)
      }
  return ids
}

/** Vouchers of each state: without an end, expired a moment ago, expiring now, and expiring later. */
async function addVouchers({ db }: World): Promise<void> {
  const batch = await db.begin((tx) => insertBatch(tx, { note: '', once_each: 0, created_at_ms: 1 }))
  const made = VOUCHER_STATES.flatMap((state) =>
    [null, NOW - 1, NOW, NOW + 1].map((end) => [state, end] as const),
  )
  const vouchers = made.map(([, expires_at_ms], at) => ({
    ...{ sha256: Buffer.alloc(32, at + 1), hint: '', amount_nanos: 10 ** 9 + at, expires_at_ms },
  }))
  await db.begin((tx) => insertVouchers(tx, batch, vouchers))
  for (const [at, [state]] of made.entries())
    await run(
      db,
      `UPDATE vouchers SET state = '${state}', account_id = ${state === 'redeemed' ? 1 : 'NULL'} WHERE amount_nanos = ${10 ** 9 + at}`,
    )
}

/** Sums by labels, such as `manual,paid`. Empty series are left out, as in the metrics. */
function summed<Row>(rows: readonly Row[], labelsOf: (row: Row) => string[], amountOf: (row: Row) => number) {
  const sums = new Map<string, number>()
  for (const row of rows) {
    const labels = labelsOf(row).join()
    sums.set(labels, (sums.get(labels) ?? 0) + amountOf(row))
  }
  return Object.fromEntries([...sums].map(([labels, sum]) => [labels, Number(sum.toFixed(9))]))
}

const one = () => 1
const UNPAID = ['open', 'expired', 'cancelled']
const DIGITS: Record<string, number> = { EUR: 2, USD: 2, JPY: 0 }

test.each(ENGINES)('each metric equals the sum over its rows, on %s', async (_, make) => {
  await using world = await openWorld(make)
  const { db } = world
  await addOrders(world)
  const [first = 0, , , fourth = 0] = await addMonths(world)
  await addVouchers(world)
  const [looks, refused, covered] = [createTally(), createTally(), createCoveredSums()]
  for (const result of ['answered', 'failed', 'answered']) looks.add({ method: 'stripe', result })
  refused.add({ method: 'stripe' })
  for (const nanos of [1, 250_000_000, 3]) covered.add(first, nanos)
  covered.add(fourth, 2_000_000_000)

  const orders = (await db.rows<Order>('SELECT * FROM orders')).filter(({ is_live }) => Number(is_live) === 1)
  const paid = orders.filter(({ state }) => !UNPAID.includes(state))
  const months = await db.rows<PlanPeriod>('SELECT * FROM plan_periods ORDER BY id')
  const renewals = months.filter(
    ({ follows_id, starts_ms, state }) => follows_id !== null && Number(starts_ms) === 20 && state !== 'open',
  )
  const vouchers = await db.rows<VoucherRow>('SELECT * FROM vouchers')
  const nanos = ({ amount_nanos }: VoucherRow) => Number(amount_nanos) / 10 ** 9
  const unused = vouchers.filter(
    ({ state, expires_at_ms }) => state === 'new' && (expires_at_ms === null || Number(expires_at_ms) > NOW),
  )
  const redeemed = vouchers.filter(({ state }) => state === 'redeemed')
  const expected: Record<string, Record<string, number>> = {
    tollgate_orders: summed(orders, ({ provider, state }) => [provider, state], one),
    tollgate_orders_credited_usd_total: summed(
      paid,
      ({ provider }) => [provider],
      ({ credit_nanos, bonus_nanos }) => (Number(credit_nanos) + Number(bonus_nanos)) / 10 ** 9,
    ),
    tollgate_payment_fees_total: summed(
      paid,
      ({ provider, currency }) => [provider, currency],
      ({ fee_minor, currency }) => Number(fee_minor ?? 0) / 10 ** (DIGITS[currency] ?? 0),
    ),
    tollgate_payment_looks_total: { 'stripe,answered': 2, 'stripe,failed': 1 },
    tollgate_payment_webhooks_refused_total: { stripe: 1 },
    tollgate_plans: summed(
      months.filter(({ state }) => state === 'active'),
      ({ plan }) => [plan],
      one,
    ),
    tollgate_plan_renewals_total: summed(
      renewals,
      ({ plan, state }) => [plan, state !== 'lapsed' ? 'paid' : plan === 'max' ? 'cancelled' : 'failed'],
      one,
    ),
    tollgate_plan_calls_total: { pro: 3, max: 1 },
    tollgate_plan_covered_usd_total: { pro: 0.250000004, max: 2 },
    tollgate_vouchers: summed(vouchers, ({ state }) => [state], one),
    tollgate_vouchers_redeemed_usd_total: summed(redeemed, () => [], nanos),
    tollgate_vouchers_unused_usd: summed(unused, () => [], nanos),
  }
  const sources = [
    ...paymentMetrics({ db, looks, refused }),
    ...planMetrics(db, covered),
    ...voucherMetrics(db, () => NOW),
  ]
  const families = readExposition(await (await render(sources)).text())
  const read = Object.fromEntries(
    sources.map(({ name, labels }) => [
      name,
      Object.fromEntries(
        (families.get(name)?.samples ?? []).map((sample) => [
          labels.map((label) => sample.labels[label]).join(),
          Number(sample.value.toFixed(9)),
        ]),
      ),
    ]),
  )
  expect(read).toEqual(expected)
  // The rows also contain values that each metric leaves out.
  for (const values of Object.values(expected)) expect(Object.keys(values).length).toBeGreaterThan(0)
  expect([paid.length, orders.length, renewals.length]).toEqual([22, 32, 15])
})
