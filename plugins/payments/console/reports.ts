// Console reports of payments for the staff: revenue by method, liabilities, and the CSV file for accounting.
import { type Static, Type } from '@sinclair/typebox'
import { sql } from 'drizzle-orm'
import { Elysia } from 'elysia'
import { type ConsoleParts, FAILURES, operatorCalls } from '../../../src/app/surface/console/calls.ts'
import { CsvFile, listCsv } from '../../../src/app/surface/console/list-csv.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { decimalMinor } from '../../../src/domain/currencies.ts'
import { monthOf } from '../../../src/domain/zones.ts'
import { type CsvColumns, csvTime, csvUsd } from '../../../src/http/csv.ts'
import { PERIOD_PARAMETERS, readPeriod, readZone } from '../../../src/http/period.ts'
import { Closed } from '../../../src/http/schema.ts'
import { MoneyFields, money, TimeFields, time } from '../../../src/http/views.ts'
import { perConnection } from '../../../src/store/prepared.ts'
import type { Payments } from '../payments.ts'
import { liabilitiesOf } from '../report/liabilities.ts'
import { type MoneyRecord, netOf, type Period, recordsOf } from '../report/records.ts'
import { type Revenue, revenueOf } from '../report/revenue.ts'
import { STUCK } from '../stuck.ts'
import { orders } from '../tables.ts'

const ReportQuery = Closed(PERIOD_PARAMETERS)

const Decimal = (description: string) => Type.String({ description })

const ReportView = Closed({
  ...TimeFields('from'),
  ...TimeFields('until'),
  methods: Type.Array(
    Closed({
      method: Type.String(),
      method_title: Type.String(),
      currency: Type.String(),
      payments: Type.Integer(),
      gross: Decimal('sum of payments, with tax and fees'),
      refunds: Type.Integer({ description: 'refunds and lost disputes' }),
      returned: Decimal('sum of refunds and lost disputes'),
      tax: Decimal('tax in the payments, without the returned part'),
      fees: Decimal('fees of the payment method'),
      without_fee: Type.Integer({ description: 'payments without a reported fee' }),
      net: Decimal('gross minus returned amounts, tax and fees'),
      ...MoneyFields('credit', 'Credits to balances, with bonuses'),
      ...MoneyFields('bonus', 'The bonuses in it'),
      ...MoneyFields('returned', 'Debits of balances for refunds and lost disputes'),
    }),
    { description: 'of live payments, the largest first' },
  ),
  liabilities: Type.Array(Closed({ title: Type.String(), ...MoneyFields('amount') })),
  ...MoneyFields('owed', 'All liabilities together'),
  gifts: Type.Array(Closed({ title: Type.String(), ...MoneyFields('amount') }), {
    description: 'credits without a payment, minus their debited part',
  }),
  open: Type.Integer({ description: 'orders that wait for their payment' }),
  stuck: Type.Integer({ description: 'orders that need attention' }),
  is_test: Type.Boolean({ description: 'whether a payment method is in test mode' }),
})

type Parts = ConsoleParts & Pick<Gateway, 'operations'>

/** `GET /console/api/payments` and `/console/api/payments.csv`, by default for this month. */
export const reportRoutes = (gateway: Parts, payments: Payments) =>
  new Elysia({ name: 'console-payment-reports' })
    .use(operatorCalls(gateway))
    .get('/console/api/payments', ({ query }) => reportView(gateway, payments, query), {
      query: ReportQuery,
      response: { 200: ReportView, ...FAILURES },
    })
    .get(
      '/console/api/payments.csv',
      ({ viewer, query }) =>
        listCsv(gateway, viewer, {
          list: 'payments',
          columns: COLUMNS,
          parts: recordsOf(gateway.db, periodOf(gateway, query)),
          zone: query.zone,
        }),
      { query: ReportQuery, response: { 200: CsvFile, ...FAILURES } },
    )

/** @throws GatewayError as `readPeriod` */
function periodOf({ calls }: Pick<Gateway, 'calls'>, query: Static<typeof ReportQuery>): Period {
  const now_ms = calls.now()
  const { since_ms, until_ms } = readPeriod(query)
  const from_ms = since_ms ?? (until_ms === undefined ? monthOf(now_ms, readZone(query)).start_ms : 0)
  return { since_ms: from_ms, until_ms: until_ms ?? Math.max(now_ms + 1, from_ms + 1) }
}

async function reportView(
  gateway: Parts,
  { parts }: Payments,
  query: Static<typeof ReportQuery>,
): Promise<Static<typeof ReportView>> {
  const { db, calls } = gateway
  const period = periodOf(gateway, query)
  const revenue = await revenueOf(db, period)
  const liabilities = await liabilitiesOf(gateway)
  const gifts = await Promise.all(
    gateway.operations.gifts.map(async ({ title, read }) => ({
      title,
      ...money('amount', await read(db, period)),
    })),
  )
  const { open = 0, stuck = 0 } = (await queries(db).counts.get({ now_ms: calls.now() })) ?? {}
  const providers = parts.providers()
  const titleOf = (method: string) => providers.find(({ name }) => name === method)?.title ?? method
  return {
    ...time('from', period.since_ms),
    ...time('until', period.until_ms),
    methods: revenue.map((sum) => ({ ...revenueView(sum), method_title: titleOf(sum.method) })),
    liabilities: liabilities.map(({ title, amount_nanos }) => ({ title, ...money('amount', amount_nanos) })),
    ...money(
      'owed',
      liabilities.reduce((sum, { amount_nanos }) => sum + amount_nanos, 0),
    ),
    gifts: gifts.filter(({ amount_nanos }) => amount_nanos !== 0),
    open,
    stuck,
    is_test: providers.some(({ is_test }) => is_test === true),
  }
}

function revenueView({ method, currency, payments, refunds, without_fee, ...sums }: Revenue) {
  const text = (minor: number) => decimalMinor(minor, currency)
  return {
    ...{ method, currency, payments, refunds, without_fee },
    gross: text(sums.gross_minor),
    returned: text(sums.returned_minor),
    tax: text(sums.tax_minor),
    fees: text(sums.fee_minor),
    net: text(sums.net_minor),
    ...money('credit', sums.credit_nanos),
    ...money('bonus', sums.bonus_nanos),
    ...money('returned', sums.returned_nanos),
  }
}

const minor =
  (amountOf: (record: MoneyRecord) => number | null) =>
  (record: MoneyRecord): string | null => {
    const amount = amountOf(record)
    return amount === null ? null : decimalMinor(amount, record.order.currency)
  }

const COLUMNS: CsvColumns<MoneyRecord> = {
  time_utc: ({ at_ms }) => csvTime(at_ms),
  type: ({ type }) => type,
  receipt: ({ receipt }) => receipt,
  order_id: ({ order }) => order.id,
  account_id: ({ order }) => order.account_id,
  account: ({ account }) => account,
  method: ({ order }) => order.provider,
  payment_reference: ({ order }) => order.payment_reference ?? order.reference,
  currency: ({ order }) => order.currency,
  amount: minor(({ amount_minor }) => amount_minor),
  tax: minor(({ tax_minor }) => tax_minor),
  tax_country: ({ order }) => order.tax_country,
  fee: minor(({ fee_minor }) => fee_minor),
  net: minor(netOf),
  credit_usd: ({ credit_nanos }) => csvUsd(credit_nanos),
  receipt_url: ({ order }) => order.receipt_url,
}

const queries = perConnection({
  counts: (orm) =>
    orm
      .select({
        open: sql<number>`count(*) FILTER (WHERE ${orders.state} = 'open')`,
        stuck: sql<number>`count(*) FILTER (WHERE ${STUCK})`,
      })
      .from(orders),
})
