// Decisions on an order from the provider's report on its payment. Pure.
import type { Payment, PaymentRefund } from '../../src/payment-api.ts'
import { refundedMinorOf } from './amounts.ts'
import { findOwnRefund } from './own-refunds.ts'
import { FOLLOWING, isRefundable, wasPaid } from './states.ts'
import type { Order, OrderRefund } from './tables.ts'
import { mismatchOf, troubleOf } from './troubles.ts'

export type Decision =
  /** The payment matches the order: credit it, once. */
  | { what: 'credit' }
  /** The order can no longer be paid. */
  | { what: 'close'; to: 'expired' | 'cancelled' }
  /** The operator has to solve a problem. Null: it is solved. */
  | { what: 'trouble'; sentence: string | null }
  | { what: 'dispute' }
  | { what: 'dispute_won' }
  | { what: 'dispute_lost' }
  /** The provider knows a refund that the gateway requested: do not request it again. */
  | { what: 'refund_known'; refund: OrderRefund; at_provider: PaymentRefund }
  /** The provider has completed or refused a refund that the gateway requested. */
  | { what: 'refund_done' | 'refund_failed'; refund: OrderRefund; at_provider: PaymentRefund }
  /** The operator made a refund at the provider. */
  | { what: 'refund_found'; at_provider: PaymentRefund }

/**
 * Returns the next decisions. Refunds and disputes come in the round after the credit: only a credited payment is debited.
 *
 * @param refunds all refund rows of the order
 * @returns in the order of execution; empty if nothing has changed
 */
export function decide(
  order: Order,
  refunds: readonly OrderRefund[],
  payment: Payment,
  now_ms: number,
): Decision[] {
  const sentence = troubleOf(order, refunds, payment, now_ms)
  const notes: Decision[] = sentence === order.trouble ? [] : [{ what: 'trouble', sentence }]
  if (!wasPaid(order.state)) return decideUnpaid(order, payment, notes, now_ms)
  return [...notes, ...decideRefunds(order, refunds, payment), ...decideDispute(order, payment)]
}

function decideUnpaid(order: Order, payment: Payment, notes: Decision[], now_ms: number): Decision[] {
  if (payment.state === 'paid' && mismatchOf(order, payment) === undefined) return [{ what: 'credit' }]
  const is_over = now_ms >= order.expires_at_ms
  if (order.state !== 'open' || payment.state === 'pending') return notes
  if (payment.state === 'failed') return [...notes, { what: 'close', to: is_over ? 'expired' : 'cancelled' }]
  return is_over ? [...notes, { what: 'close', to: 'expired' }] : notes
}

function decideRefunds(order: Order, refunds: readonly OrderRefund[], payment: Payment): Decision[] {
  const { refunds: at_provider = [], currency, amount_minor } = payment
  // If more was paid than credited, a refund at the provider returns the excess, which was never on the balance.
  const is_exact = currency === order.currency && amount_minor <= order.amount_minor
  let left_minor = order.amount_minor - refundedMinorOf(refunds)
  return at_provider.flatMap((found): Decision[] => {
    const refund = findOwnRefund(refunds, found)
    if (refund) return decideOwnRefund(refund, found)
    if (found.state === 'failed' || !is_exact || !isRefundable(order.state)) return []
    left_minor -= found.amount_minor
    return left_minor < 0 ? [] : [{ what: 'refund_found', at_provider: found }]
  })
}

function decideOwnRefund(refund: OrderRefund, at_provider: PaymentRefund): Decision[] {
  const { state } = at_provider
  // Some refunds fail days after the provider reported them as done.
  if (refund.state === 'done')
    return state === 'failed' ? [{ what: 'refund_failed', refund, at_provider }] : []
  if (refund.state !== 'debited') return []
  if (state === 'pending')
    return refund.reference === null ? [{ what: 'refund_known', refund, at_provider }] : []
  return [{ what: state === 'done' ? 'refund_done' : 'refund_failed', refund, at_provider }]
}

function decideDispute({ state }: Order, { dispute }: Payment): Decision[] {
  if (dispute === undefined) return []
  // Providers keep reporting a won dispute: it does not open again.
  const is_new = FOLLOWING[state].includes('disputed') && !(state === 'won' && dispute === 'won')
  const opened: Decision[] = is_new ? [{ what: 'dispute' }] : []
  if (dispute === 'open' || !(is_new || state === 'disputed')) return opened
  return [...opened, { what: dispute === 'won' ? 'dispute_won' : 'dispute_lost' }]
}
