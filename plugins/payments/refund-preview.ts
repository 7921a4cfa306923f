// The preview of a refund: what it would take from the balance and leave there. Nothing is changed.
import { accountQueries } from '../../src/access/queries.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { debitOf, takenBy } from './amounts.ts'
import type { PaymentParts } from './parts.ts'
import { priceReturnedBy } from './plans/refunds.ts'
import { refundsOf } from './refund-store.ts'
import { type RefundRequest, refundableOf, requireRefundable, requireRefunding } from './refunding.ts'
import { orderById } from './store.ts'

export interface RefundPreview {
  amount_minor: number
  /** The rest of the payment now, which the refund names (`left_minor`). */
  left_minor: number
  /** The amount that leaves the balance, without the price of a plan that ends with it. */
  debit_nanos: Nanos
  /** The part of the credit that the free balance lacks: it becomes debt, or the refund is refused. */
  lacking_nanos: Nanos
  /** The balance and the debt once the refund is made. */
  balance_nanos: Nanos
  debt_nanos: Nanos
  /** The fee of the payment; null: not reported. */
  fee_minor: number | null
  /** Credit that came with the payment, such as a welcome credit, and is taken back within a minute. 0 without `gifts`. */
  gifts_nanos: Nanos
}

/**
 * The figures of a refund that is not made yet.
 *
 * @param gifts in a gateway that runs: a command does not know them
 * @throws GatewayError not_found; unprocessable, conflict and invalid_request as `beginRefund`
 */
export async function previewRefund(
  parts: Pick<PaymentParts, 'db' | 'providers'>,
  {
    order_id,
    amount_minor: requested_minor,
    end_plan,
  }: Pick<RefundRequest, 'order_id' | 'amount_minor' | 'end_plan'>,
  gifts: Gateway['operations']['gifts'] = [],
): Promise<RefundPreview> {
  const { db } = parts
  const order = await orderById(db, order_id)
  requireRefunding(parts, order)
  requireRefundable(order)
  const before = await refundsOf(db, order_id)
  const amount_minor = refundableOf(order, before, requested_minor)
  const credit_nanos = debitOf(order, before, amount_minor)
  const returned_nanos = end_plan ? await priceReturnedBy({ db }, order, credit_nanos) : 0
  const gone_minor = takenBy(before) + amount_minor
  const { id, account_id, fee_minor } = order
  const part = { id, account_id, amount_minor: order.amount_minor, gone_minor }
  const returned = await Promise.all(gifts.map(async (gift) => (await gift.returned?.(db, part)) ?? 0))
  return {
    ...{ amount_minor, left_minor: order.amount_minor - takenBy(before), fee_minor },
    debit_nanos: credit_nanos - returned_nanos,
    ...(await afterwards(db, account_id, { credit_nanos, returned_nanos })),
    gifts_nanos: returned.reduce((sum, nanos) => sum + nanos, 0),
  }
}

/** The price of a plan returns first, and pays debt first; then the credit leaves the free balance, and what that lacks becomes debt. */
async function afterwards(
  db: PaymentParts['db'],
  account_id: number,
  { credit_nanos, returned_nanos }: { credit_nanos: Nanos; returned_nanos: Nanos },
): Promise<Pick<RefundPreview, 'lacking_nanos' | 'balance_nanos' | 'debt_nanos'>> {
  const account = await accountQueries(db).accountById.get({ id: account_id })
  const { balance_nanos, held_nanos, debt_nanos } = account ?? NO_MONEY
  const to_debt_nanos = Math.min(debt_nanos, returned_nanos)
  const free_nanos = Math.max(0, balance_nanos - held_nanos + returned_nanos - to_debt_nanos)
  const lacking_nanos = Math.max(0, credit_nanos - free_nanos)
  return {
    lacking_nanos,
    balance_nanos: balance_nanos + returned_nanos - to_debt_nanos - (credit_nanos - lacking_nanos),
    debt_nanos: debt_nanos - to_debt_nanos + lacking_nanos,
  }
}

const NO_MONEY = { balance_nanos: 0, held_nanos: 0, debt_nanos: 0 }
