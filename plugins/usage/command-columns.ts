// Columns of `usage` of tables and of CSV. Pure.

import { type Column, countColumn, sumOf, usdColumn } from '../../src/app/command-line/table.ts'
import { timeColumn } from '../../src/app/command-line/times.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { outputTokens, promptTokens, type Usage } from '../../src/domain/usage.ts'
import { type CsvColumns, csvUsd } from '../../src/http/csv.ts'
import { type PeriodSum, SUMMED } from '../../src/money/ledger/sums.ts'
import type { RecordedCall } from '../calls/index.ts'

const imagesText = (images: number): string => (images > 0 ? String(images) : '-')

const imagesOf = <Row extends { images: number }>(): Column<Row> =>
  countColumn('IMAGES', ({ images }) => images, {
    text: ({ images }) => imagesText(images),
    total: (rows) => imagesText(sumOf(({ images }: Row) => images)(rows)),
    spare: 3,
  })

const CALL_ID: Column<RecordedCall> = { head: 'ID', text: ({ id }) => String(id), right: true }
const STARTED = timeColumn<RecordedCall>('STARTED', ({ started_at_ms }) => started_at_ms)
const ACCOUNT = { head: 'ACCOUNT', text: (row: { account_name: string }) => row.account_name, elastic: true }
const KEY = { head: 'KEY', text: (row: { key_name: string }) => row.key_name, spare: 4, elastic: true }
const MODEL = { head: 'MODEL', text: (row: { model: string }) => row.model, elastic: true }

export const CALL_COLUMNS: Column<RecordedCall>[] = [
  CALL_ID,
  STARTED,
  ACCOUNT,
  KEY,
  MODEL,
  { head: 'OUTCOME', text: ({ outcome }) => outcome },
  { head: 'STATUS', text: ({ status }) => String(status), right: true, spare: 1 },
  countColumn('IN', promptTokens),
  countColumn<RecordedCall>('OUT', outputTokens, {
    text: (call) => String(outputTokens(call)) + (call.estimated ? '~' : ''),
  }),
  imagesOf(),
  usdColumn('USD', ({ cost_nanos }) => cost_nanos),
  { head: 'MS', text: ({ duration_ms }) => String(duration_ms), right: true, spare: 2 },
]

export const CALL_MARGIN_WORDS =
  "TAKEN: the provider's cost; MARGIN: USD minus TAKEN.\n-: unknown, because the route has no cost; not in the sums."

const callMargin = ({ cost_nanos, provider_cost_nanos: taken }: RecordedCall): Nanos | null =>
  taken === null ? null : cost_nanos - taken

export const CALL_MARGIN_COLUMNS: Column<RecordedCall>[] = [
  CALL_ID,
  STARTED,
  ACCOUNT,
  MODEL,
  { head: 'PROVIDER', text: ({ provider }) => provider || '-', elastic: true, spare: 1 },
  usdColumn('USD', ({ cost_nanos }) => cost_nanos),
  usdColumn('TAKEN', ({ provider_cost_nanos }) => provider_cost_nanos),
  usdColumn('MARGIN', callMargin),
]

export const SUM_MARGIN_WORDS =
  'KNOWN: revenue of calls with a known provider cost; TAKEN: that cost;\nMARGIN: KNOWN minus TAKEN.'

/** An amount where the cost of some call is known, else empty: 0 would say that it was free. */
const ofKnown =
  (amount: (sum: PeriodSum) => Nanos) =>
  (sum: PeriodSum): Nanos | null =>
    sum.known_revenue_nanos === 0 && sum.provider_cost_nanos === 0 ? null : amount(sum)

const PERIOD_HEADS = { day: 'DAY', month: 'MONTH' } as const
export type PeriodName = keyof typeof PERIOD_HEADS

const periodColumn = (by: PeriodName): Column<PeriodSum> => ({
  head: PERIOD_HEADS[by],
  text: ({ period }) => period,
})

export const sumMarginColumns = (by: PeriodName): Column<PeriodSum>[] => [
  periodColumn(by),
  ACCOUNT,
  MODEL,
  countColumn('CALLS', ({ calls }) => calls, { spare: 2 }),
  usdColumn('USD', ({ cost_nanos }) => cost_nanos),
  usdColumn(
    'KNOWN',
    ofKnown(({ known_revenue_nanos }) => known_revenue_nanos),
    { spare: 1 },
  ),
  usdColumn(
    'TAKEN',
    ofKnown(({ provider_cost_nanos }) => provider_cost_nanos),
  ),
  usdColumn('MARGIN', ofKnown(sumMargin)),
]

export const sumColumns = (by: PeriodName): Column<PeriodSum>[] => [
  periodColumn(by),
  ACCOUNT,
  KEY,
  MODEL,
  countColumn('CALLS', ({ calls }) => calls),
  countColumn('IN', promptTokens),
  countColumn('OUT', outputTokens),
  imagesOf(),
  usdColumn('USD', ({ cost_nanos }) => cost_nanos),
]

function sumMargin({ known_revenue_nanos, provider_cost_nanos }: PeriodSum): Nanos {
  return known_revenue_nanos - provider_cost_nanos
}

/** Columns of all sums, without the account, key and model. */
export type TotalSum = Pick<PeriodSum, 'calls' | (typeof SUMMED)[number]>

export function totalOf(sums: readonly PeriodSum[]): TotalSum {
  const names = ['calls', ...SUMMED] as const
  return Object.fromEntries(
    names.map((name) => [name, sumOf((sum: PeriodSum) => sum[name])(sums)]),
  ) as unknown as TotalSum
}

const tokens: CsvColumns<Usage & { images: number }> = {
  input_tokens: (row) => promptTokens(row),
  output_tokens: (row) => outputTokens(row),
  images: ({ images }) => images,
}

export const sumCsv = (by: PeriodName): CsvColumns<PeriodSum> => ({
  [by]: ({ period }) => period,
  account: ({ account_name }) => account_name,
  key: ({ key_name }) => key_name,
  key_prefix: ({ key_prefix }) => key_prefix,
  model: ({ model }) => model,
  calls: ({ calls }) => calls,
  ...tokens,
  cost_usd: ({ cost_nanos }) => csvUsd(cost_nanos),
  unpaid_usd: ({ unpaid_nanos }) => csvUsd(unpaid_nanos),
  known_revenue_usd: ({ known_revenue_nanos }) => csvUsd(known_revenue_nanos),
  provider_cost_usd: ({ provider_cost_nanos }) => csvUsd(provider_cost_nanos),
  margin_usd: (sum) => csvUsd(sumMargin(sum)),
})
