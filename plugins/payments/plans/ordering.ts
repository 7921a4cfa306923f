// Orders of plans: one transaction creates the plan month and the order that pays for it.
import { unprocessable } from '../../../src/domain/errors.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import type { Tx } from '../../../src/store/db.ts'
import { type OrderedPeriod, orderPlanPeriod, periodById } from '../../plans/index.ts'
import { orderByRequestKey } from '../order-by-request-key.ts'
import { createOrderInTx, keyReused } from '../ordering.ts'
import { type PaymentParts, providerOf } from '../parts.ts'
import type { PaymentSettings } from '../settings.ts'
import type { Order, OrderKind } from '../tables.ts'
import { paymentAmountFor } from './pricing.ts'

export interface PlanOrderParts extends Pick<PaymentParts, 'providers' | 'now'> {
  catalogue: NonNullable<PaymentParts['catalogue']>
  settings: () => PaymentSettings
}

export interface PlanRequest {
  account_id: number
  person_id: number | undefined
  /** Name of the plan. */
  plan: string
  /** The price that the page showed. */
  quote: Parameters<typeof orderPlanPeriod>[2]['quote']
  method: string
  currency: string
  request_key: string | undefined
}

/**
 * Orders a plan month together with its payment.
 *
 * @returns the existing order if the account has requested it with the same idempotency key before
 * @throws GatewayError as `orderPlanPeriod` and `createOrderInTx`; unprocessable for a price that the method does not accept
 */
export async function orderPlanByPayment(tx: Tx, parts: PlanOrderParts, wanted: PlanRequest): Promise<Order> {
  const { plan, quote, ...payment } = wanted
  const { account_id, request_key } = payment
  await tx.lock(account_id)
  const first = request_key === undefined ? undefined : await orderByRequestKey(tx, account_id, request_key)
  // A repeated request must match the first order, whose price stays.
  if (first) {
    const { plan_period_id } = first
    const month = plan_period_id === null ? undefined : await periodById(tx, plan_period_id)
    if (month?.plan !== plan) throw keyReused(first)
    return await createOrderInTx(tx, parts, parts.settings(), {
      ...payment,
      kind: 'plan',
      amount_minor: first.amount_minor,
    })
  }
  return await createPeriodOrder(tx, parts, await orderPlanPeriod(tx, parts, { account_id, plan, quote }), {
    ...payment,
    kind: 'plan',
  })
}

interface MonthPayment extends Omit<PlanRequest, 'plan' | 'quote'> {
  /** `automatic`: the gateway charges the saved card. */
  kind: Extract<OrderKind, 'plan' | 'automatic'>
}

/** Creates the order that pays for a plan month. @throws GatewayError as `orderPlanByPayment` */
export async function createPeriodOrder(
  tx: Tx,
  parts: Omit<PlanOrderParts, 'catalogue'>,
  { id, due_nanos, title }: OrderedPeriod,
  payment: MonthPayment,
): Promise<Order> {
  const { method, currency } = payment
  const provider = providerOf(parts, method)
  const amount_minor = paymentAmountFor(parts.settings(), provider, currency, due_nanos)
  if (amount_minor === undefined)
    throw unprocessable(
      `${provider.title} does not take ${formatUsd(due_nanos)} USD in ${currency} at once. Choose another payment method, or add funds and pay for ${title} from the balance.`,
      { param: 'method', code: 'price_not_taken' },
    )
  return await createOrderInTx(tx, parts, parts.settings(), { ...payment, amount_minor, plan_period_id: id })
}
