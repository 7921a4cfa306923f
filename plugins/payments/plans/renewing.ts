// The renewal of plans by saved cards: a month that the balance does not pay for is charged once a day, until it is paid or the days of grace are over.
import { GatewayError } from '../../../src/domain/errors.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import { batchesOf } from '../../../src/utilities/batches.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import {
  lapsePeriod,
  mailAccount,
  mayBePaid,
  type OpenPeriod,
  openPeriods,
  periodById,
  periodIn,
} from '../../plans/index.ts'
import { reasonOf } from '../automatic/deciding.ts'
import type { Cause } from '../changes.ts'
import { lookAt } from '../looking.ts'
import type { PaymentParts } from '../parts.ts'
import { wasPaid } from '../states.ts'
import { ordersOfPeriod } from '../store.ts'
import type { Order } from '../tables.ts'
import { orderFor, type PlanOrderParts } from './ordering.ts'

/** The first one when the month is over; two more fit in the days of grace. */
export const MAX_CHARGES = 3
export const CHARGED_AGAIN_AFTER_MS = DAY_MS

/** Of charges that are made at once. */
const MAX_AT_ONCE = 5

const CAUSE: Cause = { source: 'system' }

export type RenewingParts = PaymentParts & PlanOrderParts

/**
 * Sees to all months that wait for a payment: charges saved cards, and gives up first months whose orders are over. Several gateways may do it
 * at once, and be killed anywhere.
 */
export async function seeToOpenMonths(parts: RenewingParts): Promise<void> {
  for (const periods of batchesOf(await openPeriods(parts.db), MAX_AT_ONCE))
    await Promise.all(periods.map((period) => seeTo(parts, period)))
}

async function seeTo(parts: RenewingParts, period: OpenPeriod): Promise<void> {
  const { id, account_id, is_next, before_method, status } = period
  try {
    if (!is_next) await giveUp(parts, period)
    else if (before_method !== null && status === 'active') await chargeOnce(parts, period)
  } catch (cause) {
    parts.log.warn({ account_id, period: id, cause }, 'a plan could not be charged now')
  }
}

/** A first month is there for as long as one of its orders may be paid. One without orders is paid from the balance, a moment later. */
const giveUp = (parts: RenewingParts, { id, account_id }: OpenPeriod) =>
  parts.db.begin(async (tx) => {
    await tx.lock(account_id)
    const orders = await ordersOfPeriod(tx, id)
    if (orders.length > 0 && orders.every(({ state }) => state !== 'open'))
      await lapsePeriod(tx, id, 'not paid', parts.now())
  })

async function chargeOnce(parts: RenewingParts, period: OpenPeriod): Promise<void> {
  const charge = await orderDue(parts, period)
  if (!charge) return
  parts.log.info({ order: charge.id, account_id: period.account_id }, 'the saved card is charged for a plan')
  // The poller of orders asks for an answer that is lost.
  await lookAt(parts, charge.id, CAUSE)
  await notifyFailure(parts, period, await ordersOfPeriod(parts.db, period.id))
}

/** Makes the order that is due, however many gateways do it at once: one. */
async function orderDue(parts: RenewingParts, period: OpenPeriod): Promise<Order | undefined> {
  const { id, account_id, before_method: method, before_currency: currency } = period
  if (method === null || currency === null) return undefined
  await notifyFailure(parts, period, await ordersOfPeriod(parts.db, id))
  try {
    return await parts.db.begin(async (tx) => {
      await tx.lock(account_id)
      const now = await periodById(tx, id)
      // Others were charged since it was read: by now the account may have chosen otherwise, or be suspended.
      const before = await periodIn(tx, account_id, 'active')
      if (before?.card_method !== method || before.card_currency !== currency) return undefined
      if (!now || !(await mayBePaid(tx, now)) || !isDue(await ordersOfPeriod(tx, id), parts.now()))
        return undefined
      const payment = { account_id, person_id: undefined, method, currency, request_key: undefined }
      return await orderFor(tx, parts, now, { ...payment, kind: 'automatic' })
    })
  } catch (thrown) {
    // The settings have changed since it was chosen: the method is gone, or takes other amounts.
    if (!(thrown instanceof GatewayError)) throw thrown
    await mail(parts, period, messageOf(thrown), `plan_unpaid:${id}`)
    return undefined
  }
}

/** @param orders of the month, the oldest first. One that is paid, while the month is not, went to a debt: no more is charged. */
export function isDue(orders: readonly Order[], now_ms: number): boolean {
  const charges = orders.filter(({ kind }) => kind === 'automatic')
  const is_under_way = orders.some(
    ({ kind, state, pending_since_ms }) =>
      wasPaid(state) || (state === 'open' && (kind === 'automatic' || pending_since_ms !== null)),
  )
  const last = charges.at(-1)
  return (
    !is_under_way &&
    charges.length < MAX_CHARGES &&
    (last === undefined || now_ms >= last.changed_at_ms + CHARGED_AGAIN_AFTER_MS)
  )
}

/** The last charge of a month's orders, where it failed. */
export function failedCharge(orders: readonly Order[]): Order | undefined {
  const last = orders.findLast(({ kind }) => kind === 'automatic')
  return last && last.state !== 'open' && !wasPaid(last.state) ? last : undefined
}

/** Mails the account why its card was not charged: once for each try, also after a kill. */
async function notifyFailure(
  parts: RenewingParts,
  period: OpenPeriod,
  orders: readonly Order[],
): Promise<void> {
  const last = failedCharge(orders)
  if (!last) return
  if (parts.now() >= last.changed_at_ms + CHARGED_AGAIN_AFTER_MS) return
  await mail(parts, period, await reasonOf(parts.db, last), `plan_unpaid:${period.id}:${last.id}`)
}

const mail = (
  { db, catalogue, now }: RenewingParts,
  period: OpenPeriod,
  failure: string,
  request_key: string,
) =>
  db.begin((tx) =>
    mailAccount(tx, catalogue, {
      purpose: 'plan_unpaid',
      account_id: period.account_id,
      fields: {
        plan: period.title,
        due_nanos: period.due_nanos,
        until_ms: period.before_until_ms,
        failure,
      },
      request_key,
      now_ms: now(),
    }),
  )
