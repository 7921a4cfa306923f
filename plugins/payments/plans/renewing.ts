// Renewal of plans by saved cards: a month that the balance cannot pay is charged once a day, until it is paid or the grace period ends.
import { GatewayError } from '../../../src/domain/errors.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import { batchesOf } from '../../../src/utilities/batches.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import {
  lapsePeriod,
  mailAccount,
  mayPayPeriod,
  type OpenPeriod,
  openPeriods,
  periodById,
  periodIn,
} from '../../plans/index.ts'
import { chargeFailureOf } from '../automatic/deciding.ts'
import type { Cause } from '../changes.ts'
import type { PaymentParts } from '../parts.ts'
import { refreshOrder } from '../refreshing.ts'
import { wasPaid } from '../states.ts'
import { ordersOfPeriod } from '../store.ts'
import type { Order } from '../tables.ts'
import { createPeriodOrder, type PlanOrderParts } from './ordering.ts'

/** One at the end of the month, and two more in the grace period. */
export const MAX_CHARGES = 3
export const CHARGE_RETRY_MS = DAY_MS

const MAX_CONCURRENT_CHARGES = 5

const CAUSE: Cause = { source: 'system' }

export type RenewingParts = PaymentParts & PlanOrderParts

/**
 * Processes all plan months that wait for a payment: charges saved cards, and drops first months whose orders have ended. Safe with several
 * gateways at once and kills at any point.
 */
export async function processOpenPeriods(parts: RenewingParts): Promise<void> {
  for (const periods of batchesOf(await openPeriods(parts.db), MAX_CONCURRENT_CHARGES))
    await Promise.all(periods.map((period) => processPeriod(parts, period)))
}

async function processPeriod(parts: RenewingParts, period: OpenPeriod): Promise<void> {
  const { id, account_id, is_next, before_method, status } = period
  try {
    if (!is_next) await dropUnpaidPeriod(parts, period)
    else if (before_method !== null && status === 'active') await chargePeriod(parts, period)
  } catch (cause) {
    parts.log.warn({ account_id, period: id, cause }, 'a plan could not be charged now')
  }
}

/** Drops a first month once none of its orders can be paid. A month without orders is being paid from the balance, and stays. */
const dropUnpaidPeriod = (parts: RenewingParts, { id, account_id }: OpenPeriod) =>
  parts.db.begin(async (tx) => {
    await tx.lock(account_id)
    const orders = await ordersOfPeriod(tx, id)
    if (orders.length > 0 && orders.every(({ state }) => state !== 'open'))
      await lapsePeriod(tx, id, 'not paid', parts.now())
  })

async function chargePeriod(parts: RenewingParts, period: OpenPeriod): Promise<void> {
  const charge = await createDueOrder(parts, period)
  if (!charge) return
  parts.log.info({ order: charge.id, account_id: period.account_id }, 'the saved card is charged for a plan')
  // The poller recovers the result if the answer is lost.
  await refreshOrder(parts, charge.id, CAUSE)
  await notifyFailure(parts, period, await ordersOfPeriod(parts.db, period.id))
}

/** Creates the due order. Several gateways at once create only one. */
async function createDueOrder(parts: RenewingParts, period: OpenPeriod): Promise<Order | undefined> {
  const { id, account_id, before_method: method, before_currency: currency } = period
  if (method === null || currency === null) return undefined
  await notifyFailure(parts, period, await ordersOfPeriod(parts.db, id))
  try {
    return await parts.db.begin(async (tx) => {
      await tx.lock(account_id)
      const current = await periodById(tx, id)
      // Charges of other accounts took time: the account may have changed its choice, or be suspended.
      const before = await periodIn(tx, account_id, 'active')
      if (before?.card_method !== method || before.card_currency !== currency) return undefined
      if (!current || !(await mayPayPeriod(tx, current)) || !isDue(await ordersOfPeriod(tx, id), parts.now()))
        return undefined
      const payment = { account_id, person_id: undefined, method, currency, request_key: undefined }
      return await createPeriodOrder(tx, parts, current, { ...payment, kind: 'automatic' })
    })
  } catch (thrown) {
    // The operator's settings have changed: the method is no longer set up, or accepts other amounts.
    if (!(thrown instanceof GatewayError)) throw thrown
    await mail(parts, period, messageOf(thrown), `plan_unpaid:${id}`)
    return undefined
  }
}

/** Whether a charge is due. @param orders of the month, oldest first. If one is paid and the month is not, it paid a debt: no further charge. */
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
    (last === undefined || now_ms >= last.changed_at_ms + CHARGE_RETRY_MS)
  )
}

/** Returns the last charge among a month's orders if it failed. */
export function failedCharge(orders: readonly Order[]): Order | undefined {
  const last = orders.findLast(({ kind }) => kind === 'automatic')
  return last && last.state !== 'open' && !wasPaid(last.state) ? last : undefined
}

/** Mails the account the reason of a failed charge: once per charge, also after a kill. */
async function notifyFailure(
  parts: RenewingParts,
  period: OpenPeriod,
  orders: readonly Order[],
): Promise<void> {
  const last = failedCharge(orders)
  if (!last) return
  if (parts.now() >= last.changed_at_ms + CHARGE_RETRY_MS) return
  await mail(parts, period, await chargeFailureOf(parts.db, last), `plan_unpaid:${period.id}:${last.id}`)
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
