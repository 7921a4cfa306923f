// Preview of a refund: its debit and the balance afterwards. Changes nothing.
import { accountQueries } from '../../src/access/queries.ts'
import type { Gateway } from '../../src/app/surface/gateway.ts'
import type { Nanos } from '../../src/domain/money.ts'
import { debitOf, refundedMinorOf } from './amounts.ts'
import type { PaymentParts } from './parts.ts'
import { returnedPriceOf } from './plans/refunds.ts'
import { refundsOf } from './refund-store.ts'
import { type RefundRequest, requireAmount, requireRefundable, requireRefundSupport } from './refunding.ts'
import { orderById } from './store.ts'

export interface RefundPreview {
  amount_minor: number
  /** The rest of the payment now, which the refund request repeats as `left_minor`. */
  left_minor: number
  /** Debit of the balance, minus the returned price of a plan that ends with the refund. */
  debit_nanos: Nanos
  /** The part of the debit above the free balance: it becomes debt, or the refund is refused. */
  lacking_nanos: Nanos
  /** Balance and debt after the refund. */
  balance_nanos: Nanos
  debt_nanos: Nanos
  /** Fee of the payment; null: not reported. */
  fee_minor: number | null
  /** Credit that came with the payment, such as a welcome credit, and is debited within a minute. 0 without `gifts`. */
  gifts_nanos: Nanos
}

/**
 * Computes the figures of a refund before it is made.
 *
 * @param gifts of a running gateway: a command does not know them
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
  requireRefundSupport(parts, order)
  requireRefundable(order)
  const before = await refundsOf(db, order_id)
  const amount_minor = requireAmount(order, before, requested_minor)
  const credit_nanos = debitOf(order, before, amount_minor)
  const returned_nanos = end_plan ? await returnedPriceOf({ db }, order, credit_nanos) : 0
  const gone_minor = refundedMinorOf(before) + amount_minor
  const { id, account_id, fee_minor } = order
  const part = { id, account_id, amount_minor: order.amount_minor, gone_minor }
  const returned = await Promise.all(gifts.map(async (gift) => (await gift.returned?.(db, part)) ?? 0))
  return {
    ...{ amount_minor, left_minor: order.amount_minor - refundedMinorOf(before), fee_minor },
    debit_nanos: credit_nanos - returned_nanos,
    ...(await balanceAfterRefund(db, account_id, { credit_nanos, returned_nanos })),
    gifts_nanos: returned.reduce((sum, nanos) => sum + nanos, 0),
  }
}

/** The plan price returns first and pays debt first. Then the free balance is debited, and an amount above it becomes debt. */
async function balanceAfterRefund(
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
