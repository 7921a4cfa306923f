// Orders of plans: the month and the order that pays for it are made in one transaction.
import { unprocessable } from '../../../src/domain/errors.ts'
import { formatUsd } from '../../../src/domain/money.ts'
import type { Tx } from '../../../src/store/db.ts'
import { type OrderedPeriod, orderPlanPeriod, periodById } from '../../plans/index.ts'
import { keyReused, makeOrderIn } from '../ordering.ts'
import { type PaymentParts, providerOf } from '../parts.ts'
import { orderByRequest } from '../requested.ts'
import type { PaymentSettings } from '../settings.ts'
import type { Order, OrderKind } from '../tables.ts'
import { amountFor } from './pricing.ts'

export interface PlanOrderParts extends Pick<PaymentParts, 'providers' | 'now'> {
  catalogue: NonNullable<PaymentParts['catalogue']>
  settings: () => PaymentSettings
}

export interface WantedPlan {
  account_id: number
  person_id: number | undefined
  /** The plan's name. */
  plan: string
  /** The price as it was shown. */
  quote: Parameters<typeof orderPlanPeriod>[2]['quote']
  method: string
  currency: string
  request_key: string | undefined
}

/**
 * Orders a plan that a payment pays for.
 *
 * @returns the first one where the account has asked for it under the same key before
 * @throws GatewayError as `orderPlanPeriod` and `makeOrderIn`; unprocessable for a price that the method does not take
 */
export async function orderPlanByPayment(tx: Tx, parts: PlanOrderParts, wanted: WantedPlan): Promise<Order> {
  const { plan, quote, ...payment } = wanted
  const { account_id, request_key } = payment
  await tx.lock(account_id)
  const first = request_key === undefined ? undefined : await orderByRequest(tx, account_id, request_key)
  // It is compared with what is asked for now; its price was fixed then.
  if (first) {
    const { plan_period_id } = first
    const month = plan_period_id === null ? undefined : await periodById(tx, plan_period_id)
    if (month?.plan !== plan) throw keyReused(first)
    return await makeOrderIn(tx, parts, parts.settings(), {
      ...payment,
      kind: 'plan',
      amount_minor: first.amount_minor,
    })
  }
  return await orderFor(tx, parts, await orderPlanPeriod(tx, parts, { account_id, plan, quote }), {
    ...payment,
    kind: 'plan',
  })
}

interface MonthPayment extends Omit<WantedPlan, 'plan' | 'quote'> {
  /** `automatic`: the saved card is charged for it. */
  kind: Extract<OrderKind, 'plan' | 'automatic'>
}

/** The order that pays for a month. @throws GatewayError as `orderPlanByPayment` */
export async function orderFor(
  tx: Tx,
  parts: Omit<PlanOrderParts, 'catalogue'>,
  { id, due_nanos, title }: OrderedPeriod,
  payment: MonthPayment,
): Promise<Order> {
  const { method, currency } = payment
  const provider = providerOf(parts, method)
  const amount_minor = amountFor(parts.settings(), provider, currency, due_nanos)
  if (amount_minor === undefined)
    throw unprocessable(
      `${provider.title} does not take ${formatUsd(due_nanos)} USD in ${currency} at once. Choose another payment method, or add funds and pay for ${title} from the balance.`,
      { param: 'method', code: 'price_not_taken' },
    )
  return await makeOrderIn(tx, parts, parts.settings(), { ...payment, amount_minor, plan_period_id: id })
}
