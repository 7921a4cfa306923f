// Full view of an order: row, history, refunds, transaction and allowed actions.
import type { Static } from '@sinclair/typebox'
import { and } from 'drizzle-orm'
import { partiesOf } from '../../../src/access/account-details.ts'
import { accountOf, type Viewer } from '../../../src/access/viewer.ts'
import { consoleRow } from '../../../src/app/list/pages.ts'
import type { Gateway } from '../../../src/app/surface/gateway.ts'
import { decimalMinor } from '../../../src/domain/currencies.ts'
import { notFound } from '../../../src/domain/errors.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import { money, time } from '../../../src/http/views.ts'
import type { Db } from '../../../src/store/db.ts'
import { equals, isOneOf } from '../../../src/store/placeholders.ts'
import { perConnection } from '../../../src/store/prepared.ts'
import { entries } from '../../../src/store/schema.ts'
import { type ChangeSource, type StateChangeRow, stateChangesOf } from '../../../src/store/state-changes.ts'
import { isBoughtBy, periodById } from '../../plans/index.ts'
import { refundedMinorOf } from '../amounts.ts'
import { isDueForCharge, isLateCharge } from '../automatic/charging.ts'
import { type ListedOrder, listedOrder, order_list } from '../list.ts'
import { MANUAL } from '../manual/provider.ts'
import { refundDebitKey } from '../own-refunds.ts'
import { matchesMode, paymentOrderOf } from '../parts.ts'
import type { Payments } from '../payments.ts'
import { mayEndPlan } from '../plans/refunds.ts'
import { refundsOf } from '../refund-store.ts'
import { isRefundable, wasPaid } from '../states.ts'
import type { OrderRefund } from '../tables.ts'
import type { OrderView } from './views.ts'

type Parts = Pick<Gateway, 'db' | 'calls'>
export type OrderViewParts = Parts & Pick<Gateway, 'operations'>

/** Returns an order that the viewer may see. @throws GatewayError not_found, also for an order of another account */
export async function requireOrder({ db, calls }: Parts, viewer: Viewer, id: number): Promise<ListedOrder> {
  const order = await listedOrder(db, { id, account_id: accountOf(viewer), now_ms: calls.now() })
  if (!order) throw notFound('Order not found. See the list of orders.', { param: 'order' })
  return order
}

/** @throws GatewayError as `requireOrder` */
export async function orderView(
  { db, calls, operations }: OrderViewParts,
  { parts }: Pick<Payments, 'parts'>,
  viewer: Viewer,
  id: number,
): Promise<Static<typeof OrderView>> {
  const order = await requireOrder({ db, calls }, viewer, id)
  const refunds = await refundsOf(db, id)
  const entry_ids = await entriesOf(db, order, refunds)
  const provider = parts.providers().find(({ name }) => name === order.provider)
  const { currency, tax_minor, tax_country } = order
  const is_staff = viewer.side === 'operator'
  const account = { id: order.account_id, name: order.account_name }
  const is_open = order.state === 'open'
  const is_late = calls.now() >= order.expires_at_ms
  return {
    ...(await consoleRow(db, viewer, order_list, order)),
    method_title: provider?.title ?? order.provider,
    // For bank transfers, only the operator knows whether they arrived.
    can_check: is_staff && provider !== undefined && order.provider !== MANUAL,
    rate_usd: formatUsd(order.rate_nanos),
    tax: tax_minor === null ? null : decimalMinor(tax_minor, currency),
    tax_country,
    ...time('pending_since', order.pending_since_ms),
    entry_id: entry_ids.get(`order:${id}`) ?? null,
    ...money('welcome', await giftsOf({ db, operations }, order)),
    ...(await partiesOf(db, account, calls.catalogue())),
    changes: await changesOf(db, viewer, id, refunds),
    refunds: refunds.map((refund) => ({
      id: refund.id,
      amount: decimalMinor(refund.amount_minor, currency),
      ...money('debit', refund.debit_nanos),
      state: refund.state,
      reason: refund.reason,
      entry_id: entry_ids.get(refundDebitKey(refund)) ?? null,
      ...time('created', refund.created_at_ms),
    })),
    can_pay:
      is_open &&
      order.kind !== 'automatic' &&
      order.pending_since_ms === null &&
      provider !== undefined &&
      matchesMode(order, provider) &&
      !is_late,
    can_cancel:
      is_open &&
      order.pending_since_ms === null &&
      (!isDueForCharge(order) || (is_staff && isLateCharge(order, calls.now()))),
    can_mark_paid: is_staff && order.provider === MANUAL && provider !== undefined && !wasPaid(order.state),
    instructions:
      is_open && provider?.instructions ? provider.instructions(await paymentOrderOf(parts, order)) : null,
    plan: await planOf({ db, calls }, order),
    can_refund:
      is_staff && isRefundable(order.state) && provider?.refund !== undefined && matchesMode(order, provider),
    left: decimalMinor(order.amount_minor - refundedMinorOf(refunds), currency),
    ...(is_staff && { report: reportOf(order) }),
  }
}

/** Sum of the gifts that the payer received with the order's payment, such as a welcome credit. */
async function giftsOf(
  { db, operations }: Pick<OrderViewParts, 'db' | 'operations'>,
  order: ListedOrder,
): Promise<number> {
  const all = await Promise.all(operations.gifts.map((gift) => gift.brought?.(db, order) ?? 0))
  return all.reduce((sum, nanos) => sum + nanos, 0)
}

async function planOf({ db }: Parts, order: ListedOrder): Promise<Static<typeof OrderView>['plan']> {
  const { id, plan_period_id } = order
  const period = plan_period_id === null ? undefined : await periodById(db, plan_period_id)
  return period
    ? {
        title: period.title,
        has_started: await isBoughtBy(db, period.id, id),
        can_end: await mayEndPlan({ db }, order),
      }
    : null
}

const reportOf = ({ currency, fee_minor, ...order }: ListedOrder) => ({
  payment_reference: order.payment_reference,
  fee: fee_minor === null ? null : decimalMinor(fee_minor, currency),
  looks: order.looks,
  ...time('next_look', order.provider === MANUAL ? null : order.next_look_at_ms),
  ...time('unanswered_since', order.unanswered_since_ms),
})

/** The changes of an order and its refunds, oldest first. Only the staff sees troubles. */
async function changesOf(
  db: Db,
  { side }: Viewer,
  id: number,
  refunds: readonly OrderRefund[],
): Promise<Static<typeof OrderView>['changes']> {
  const is_staff = side === 'operator'
  const rows = [...(await stateChangesOf(db, 'orders', id))]
  for (const refund of refunds) rows.push(...(await stateChangesOf(db, 'order_refunds', refund.id)))
  return (
    rows
      // Lines without a change of state only guarded a ledger operation.
      .filter((row) => row.from_state !== row.to_state || (is_staff && isTrouble(row)))
      .sort((one, other) => one.at_ms - other.at_ms || one.id - other.id)
      .map((row) => ({
        ...changeView(row),
        ...(is_staff && staffFields(row)),
      }))
  )
}

const isTrouble = ({ detail }: StateChangeRow): boolean => 'trouble' in Object(JSON.parse(detail))

type Change = Static<typeof OrderView>['changes'][number]

/** Fields of a change that only the staff sees. */
const staffFields = ({ source, detail }: StateChangeRow) => ({
  source: source as ChangeSource,
  detail: JSON.parse(detail) as Record<string, unknown>,
})

function changeView({ subject, subject_id, from_state, to_state, at_ms }: StateChangeRow) {
  const is_refund = subject === 'order_refunds'
  return {
    ...time('changed', at_ms),
    subject: is_refund ? ('refund' as const) : ('order' as const),
    refund_id: is_refund ? subject_id : null,
    from: from_state as Change['from'],
    to: to_state as Change['to'],
  }
}

/** The IDs of the ledger entries of an order and its refunds, by request key. */
async function entriesOf(
  db: Db,
  { id, account_id }: ListedOrder,
  refunds: readonly OrderRefund[],
): Promise<ReadonlyMap<string | null, number>> {
  const keys = JSON.stringify([`order:${id}`, ...refunds.map(refundDebitKey)])
  const found = await queries(db).entries.all({ account_id, keys })
  return new Map(found.map(({ request_key, id }) => [request_key, id]))
}

const queries = perConnection({
  entries: (orm) =>
    orm
      .select({ id: entries.id, request_key: entries.request_key })
      .from(entries)
      .where(and(equals(entries.account_id, 'account_id'), isOneOf(entries.request_key, 'keys'))),
})
