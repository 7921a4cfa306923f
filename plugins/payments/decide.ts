// Decisions on an order by the provider's own word on its payment. Pure.
import type { Payment, PaymentRefund } from '../../src/payment-api.ts'
import { takenBy } from './amounts.ts'
import { ownOf } from './own-refunds.ts'
import { FOLLOWING, isRefundable, wasPaid } from './states.ts'
import type { Order, OrderRefund } from './tables.ts'
import { misfitOf, troubleOf } from './troubles.ts'

export type Decision =
  /** The payment is the order's: its credit, once. */
  | { what: 'credit' }
  /** It cannot be paid any more. */
  | { what: 'close'; to: 'expired' | 'cancelled' }
  /** Somebody has to look at it. Null: nobody any more. */
  | { what: 'trouble'; sentence: string | null }
  | { what: 'dispute' }
  | { what: 'dispute_won' }
  | { what: 'dispute_lost' }
  /** The provider knows a refund that the gateway asked for: it is not asked for again. */
  | { what: 'refund_known'; refund: OrderRefund; at_provider: PaymentRefund }
  /** A refund that the gateway asked for is decided. */
  | { what: 'refund_done' | 'refund_failed'; refund: OrderRefund; at_provider: PaymentRefund }
  /** A refund that somebody made at the provider. */
  | { what: 'refund_found'; at_provider: PaymentRefund }

/**
 * The next decisions. Refunds and disputes are for the round after the credit: of a payment that was not credited, nothing is taken.
 *
 * @param refunds the order's own rows, with those of which the provider's number is known
 * @returns in the order in which they are carried out; none where nothing has changed
 */
export function decide(
  order: Order,
  refunds: readonly OrderRefund[],
  payment: Payment,
  now_ms: number,
): Decision[] {
  const sentence = troubleOf(order, refunds, payment, now_ms)
  const notes: Decision[] = sentence === order.trouble ? [] : [{ what: 'trouble', sentence }]
  if (!wasPaid(order.state)) return ofUnpaid(order, payment, notes, now_ms)
  return [...notes, ...ofRefunds(order, refunds, payment), ...ofDispute(order, payment)]
}

function ofUnpaid(order: Order, payment: Payment, notes: Decision[], now_ms: number): Decision[] {
  if (payment.state === 'paid' && misfitOf(order, payment) === undefined) return [{ what: 'credit' }]
  const is_over = now_ms >= order.expires_at_ms
  if (order.state !== 'open' || payment.state === 'pending') return notes
  if (payment.state === 'failed') return [...notes, { what: 'close', to: is_over ? 'expired' : 'cancelled' }]
  return is_over ? [...notes, { what: 'close', to: 'expired' }] : notes
}

function ofRefunds(order: Order, refunds: readonly OrderRefund[], payment: Payment): Decision[] {
  const { refunds: at_provider = [], currency, amount_minor } = payment
  // After a payment of more than was credited, a refund at the provider is of the rest, which the balance never had.
  const is_exact = currency === order.currency && amount_minor <= order.amount_minor
  let left_minor = order.amount_minor - takenBy(refunds)
  return at_provider.flatMap((found): Decision[] => {
    const refund = ownOf(refunds, found)
    if (refund) return ofOwnRefund(refund, found)
    if (found.state === 'failed' || !is_exact || !isRefundable(order.state)) return []
    left_minor -= found.amount_minor
    return left_minor < 0 ? [] : [{ what: 'refund_found', at_provider: found }]
  })
}

function ofOwnRefund(refund: OrderRefund, at_provider: PaymentRefund): Decision[] {
  const { state } = at_provider
  // Some fail days after the provider called them done.
  if (refund.state === 'done')
    return state === 'failed' ? [{ what: 'refund_failed', refund, at_provider }] : []
  if (refund.state !== 'debited') return []
  if (state === 'pending')
    return refund.reference === null ? [{ what: 'refund_known', refund, at_provider }] : []
  return [{ what: state === 'done' ? 'refund_done' : 'refund_failed', refund, at_provider }]
}

function ofDispute({ state }: Order, { dispute }: Payment): Decision[] {
  if (dispute === undefined) return []
  // A dispute that was won stays in what the provider says: it is not opened again.
  const is_new = FOLLOWING[state].includes('disputed') && !(state === 'won' && dispute === 'won')
  const opened: Decision[] = is_new ? [{ what: 'dispute' }] : []
  if (dispute === 'open' || !(is_new || state === 'disputed')) return opened
  return [...opened, { what: dispute === 'won' ? 'dispute_won' : 'dispute_lost' }]
}
