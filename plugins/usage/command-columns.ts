// Columns of calls in the tables of `usage`. Pure.

import { type Column, countColumn, sumOf, usdColumn } from '../../src/app/command-line/table.ts'
import { timeColumn } from '../../src/app/command-line/times.ts'
import { marginOfOne } from '../../src/domain/margin.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { outputTokens, promptTokens } from '../../src/domain/usage.ts'
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
  "USD: the charge less refunds; COST: the provider's cost; MARGIN: USD less COST.\n-: unknown, because the route has no cost, or the call is covered by a plan; not in the sums."

const chargedNet = ({ cost_nanos, refunded_nanos }: RecordedCall): Nanos => cost_nanos - refunded_nanos

export const CALL_MARGIN_COLUMNS: Column<RecordedCall>[] = [
  CALL_ID,
  STARTED,
  ACCOUNT,
  MODEL,
  { head: 'PROVIDER', text: ({ provider }) => provider || '-', elastic: true, spare: 1 },
  usdColumn('USD', chargedNet),
  usdColumn('COST', ({ provider_cost_nanos }) => provider_cost_nanos),
  usdColumn('MARGIN', (call) =>
    call.plan_period_id === null ? marginOfOne(chargedNet(call), call.provider_cost_nanos) : null,
  ),
]
