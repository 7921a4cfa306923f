// What becomes of an order by the provider's own word on its payment. Pure.
import { formatMinor } from '../../src/domain/currencies.ts'
import type { Payment, PaymentRefund } from '../../src/payment-api.ts'
import { FOLLOWING, wasPaid } from './states.ts'
import type { Order, OrderRefund } from './tables.ts'

export type Decision =
  /** The payment is the order's: its credit, once. */
  | { what: 'credit' }
  /** It cannot be paid any more. */
  | { what: 'close'; to: 'expired' | 'cancelled' }
  /** Somebody has to look at it. Nothing is credited. */
  | { what: 'trouble'; sentence: string }
  | { what: 'dispute' }
  | { what: 'dispute_won' }
  | { what: 'dispute_lost' }
  /** A refund that the gateway asked for is decided. */
  | { what: 'refund_done' | 'refund_failed'; refund: OrderRefund; at_provider: PaymentRefund }
  /** A refund that somebody made at the provider. */
  | { what: 'refund_found'; at_provider: PaymentRefund }

/** The key that a refund is asked for with. */
export const refundKey = ({ id }: Pick<OrderRefund, 'id'>): string => `refund:${id}`

/**
 * @param refunds the order's own rows, with those of which the provider's number is known
 * @returns in the order in which they are carried out; none where nothing has changed
 */
export function decide(
  order: Order,
  refunds: readonly OrderRefund[],
  payment: Payment,
  now_ms: number,
): Decision[] {
  const paid = ofPayment(order, payment, now_ms)
  const is_paid = wasPaid(order.state) || paid?.what === 'credit'
  return [
    ...(paid ? [paid] : []),
    ...(is_paid ? [...ofRefunds(refunds, payment), ...ofDispute(order, payment)] : []),
  ]
}

function ofPayment(order: Order, payment: Payment, now_ms: number): Decision | undefined {
  if (wasPaid(order.state)) return paidTwice(order, payment)
  if (payment.state === 'paid') {
    const misfit = misfitOf(order, payment)
    return misfit === undefined ? { what: 'credit' } : { what: 'trouble', sentence: misfit }
  }
  if (order.state !== 'open' || payment.state === 'pending') return undefined
  if (payment.state === 'failed')
    return { what: 'close', to: now_ms < order.expires_at_ms ? 'cancelled' : 'expired' }
  return now_ms < order.expires_at_ms ? undefined : { what: 'close', to: 'expired' }
}

/** More has come in than was asked for: somebody paid again. */
function paidTwice({ currency, amount_minor }: Order, payment: Payment): Decision | undefined {
  if (payment.state !== 'paid' || payment.currency !== currency || payment.amount_minor <= amount_minor)
    return undefined
  const paid = formatMinor(payment.amount_minor, currency)
  return {
    what: 'trouble',
    sentence: `${paid} was paid instead of ${formatMinor(amount_minor, currency)}, which was credited. Refund the rest at the payment method.`,
  }
}

/** Why a payment is not the order's: an order is bound to its currency and amount. */
export function misfitOf(
  { id, currency, amount_minor }: Pick<Order, 'id' | 'currency' | 'amount_minor'>,
  payment: Payment,
): string | undefined {
  if (payment.order_id !== undefined && payment.order_id !== id)
    return `The payment is for order ${payment.order_id}, not for this one. Nothing was credited.`
  if (payment.currency === currency && payment.amount_minor === amount_minor) return undefined
  const paid = formatMinor(payment.amount_minor, payment.currency)
  return `${paid} was paid instead of ${formatMinor(amount_minor, currency)}. Nothing was credited. Refund it at the payment method, or add the funds by hand.`
}

function ofRefunds(refunds: readonly OrderRefund[], { refunds: at_provider = [] }: Payment): Decision[] {
  return at_provider.flatMap((found): Decision[] => {
    const refund = refunds.find(
      (one) => refundKey(one) === found.key || (one.reference !== null && one.reference === found.reference),
    )
    if (!refund) return found.state === 'failed' ? [] : [{ what: 'refund_found', at_provider: found }]
    if (refund.state !== 'debited' || found.state === 'pending') return []
    return [{ what: found.state === 'done' ? 'refund_done' : 'refund_failed', refund, at_provider: found }]
  })
}

function ofDispute({ state }: Order, { dispute }: Payment): Decision[] {
  if (dispute === undefined) return []
  const opened: Decision[] =
    state === 'disputed' || !mayBeDisputed(state, dispute) ? [] : [{ what: 'dispute' }]
  if (dispute === 'open') return opened
  const is_open = state === 'disputed' || opened.length > 0
  return is_open ? [...opened, { what: dispute === 'won' ? 'dispute_won' : 'dispute_lost' }] : []
}

/** A dispute that was won stays in what the provider says: it is not opened again. */
const mayBeDisputed = (state: Order['state'], dispute: NonNullable<Payment['dispute']>): boolean =>
  state === 'open' || state === 'expired' || state === 'cancelled'
    ? true
    : FOLLOWING[state].includes('disputed') && !(state === 'won' && dispute === 'won')
