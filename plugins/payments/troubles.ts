// Troubles of an order as sentences for the operator, from the provider's report and the gateway's rows. Pure.
import { formatMinor } from '../../src/domain/currencies.ts'
import { HOUR_MS } from '../../src/domain/ranges.ts'
import type { Payment } from '../../src/payment-api.ts'
import { refundedMinorOf } from './amounts.ts'
import { findOwnRefund } from './own-refunds.ts'
import { wasPaid } from './states.ts'
import type { Order, OrderRefund } from './tables.ts'

/**
 * @returns null without trouble, also if a payment that did not match was refunded whole. Before the payment, an earlier trouble stays.
 */
export function troubleOf(
  order: Order,
  refunds: readonly OrderRefund[],
  payment: Payment,
  now_ms: number,
): string | null {
  if (wasPaid(order.state)) {
    const sentences = [
      changedReportTrouble(order, refunds, payment),
      ...refundTroubles(order, refunds, payment),
      ...unansweredRefundTroubles(order, refunds, payment, now_ms),
      disputeReversalTrouble(order, payment),
    ]
    return sentences.filter((sentence) => sentence !== undefined).join(' ') || null
  }
  if (payment.state !== 'paid') return order.trouble
  const is_fully_refunded =
    payment.amount_minor > 0 && sumProviderRefunds([], payment) >= payment.amount_minor
  return is_fully_refunded ? null : (mismatchOf(order, payment) ?? null)
}

/** Explains why a payment does not match its order. @returns undefined if it matches */
export function mismatchOf(
  { id, currency, amount_minor, is_live }: Pick<Order, 'id' | 'currency' | 'amount_minor' | 'is_live'>,
  payment: Payment,
): string | undefined {
  if (payment.state !== 'paid') return undefined
  if (payment.order_id !== undefined && payment.order_id !== id)
    return `The payment is for order ${payment.order_id}, not for this one. Nothing was credited.`
  if (payment.is_test === true && is_live === 1)
    return 'The payment was made in test mode: no money moved. Nothing was credited.'
  if (payment.currency === currency && payment.amount_minor === amount_minor) return undefined
  return `${formatMinor(payment.amount_minor, payment.currency)} was paid instead of ${formatMinor(amount_minor, currency)}. Nothing was credited. Refund it at the payment method, or add the funds by hand.`
}

/** Sum of the refunds that were made at the provider. */
const sumProviderRefunds = (own: readonly OrderRefund[], { refunds = [] }: Payment): number =>
  refunds
    .filter((found) => found.state === 'done' && !findOwnRefund(own, found))
    .reduce((sum, { amount_minor }) => sum + amount_minor, 0)

/** Explains a credited payment that the provider now reports differently. */
function changedReportTrouble(
  { id, state, currency, amount_minor }: Order,
  refunds: readonly OrderRefund[],
  payment: Payment,
): string | undefined {
  const credited = formatMinor(amount_minor, currency)
  if (payment.order_id !== undefined && payment.order_id !== id)
    return `The payment method says now that the payment is for order ${payment.order_id}. ${credited} was credited here. Look at both orders.`
  // After a refund, some providers no longer report the payment as paid.
  const is_whole = state === 'paid' || state === 'won'
  if (payment.state !== 'paid')
    return is_whole
      ? `The payment method says now that nothing was paid. ${credited} was credited. Look at the payment there, and debit the account if the money is not there.`
      : undefined
  if (payment.currency === currency && payment.amount_minor > amount_minor)
    return sumProviderRefunds(refunds, payment) >= payment.amount_minor - amount_minor
      ? undefined
      : `${formatMinor(payment.amount_minor, currency)} was paid instead of ${credited}, which was credited. Refund the rest at the payment method.`
  if (is_whole && (payment.currency !== currency || payment.amount_minor < amount_minor))
    return `The payment method says now that ${formatMinor(payment.amount_minor, payment.currency)} was paid. ${credited} was credited. Look at the payment there.`
  return undefined
}

function refundTroubles(
  { state: order_state, currency, amount_minor: paid_minor }: Order,
  refunds: readonly OrderRefund[],
  { refunds: at_provider = [], amount_minor }: Payment,
): string[] {
  // The lost dispute has debited the whole payment.
  if (order_state === 'lost') return []
  const rest_minor = Math.max(0, amount_minor - paid_minor)
  // An excess that was never credited is refunded first; later refunds cannot be distinguished from it.
  let left_minor = rest_minor > 0 ? rest_minor : paid_minor - refundedMinorOf(refunds)
  return at_provider.flatMap((found) => {
    const refund = findOwnRefund(refunds, found)
    const refunded = `${formatMinor(found.amount_minor, currency)} was refunded at the payment method`
    if (refund) {
      const { id, state } = refund
      return (state === 'failed' || state === 'cancelled') && found.state === 'done'
        ? [`${refunded}, but the state of refund ${id} here is "${state}". Debit the account by hand.`]
        : []
    }
    if (found.state === 'failed') return []
    left_minor -= found.amount_minor
    return left_minor < 0
      ? [`${refunded}, more than was left of the payment. Debit the account by hand.`]
      : []
  })
}

/** Time after which an unanswered refund is a trouble. */
const SILENT_MS = HOUR_MS

function unansweredRefundTroubles(
  { currency }: Order,
  refunds: readonly OrderRefund[],
  { refunds: at_provider = [] }: Payment,
  now_ms: number,
): string[] {
  return refunds
    .filter(
      (refund) =>
        refund.state === 'debited' &&
        refund.reference === null &&
        now_ms >= refund.created_at_ms + SILENT_MS &&
        !at_provider.some((found) => findOwnRefund([refund], found)),
    )
    .map(
      ({ id, amount_minor }) =>
        `The payment method has neither made nor refused refund ${id} of ${formatMinor(amount_minor, currency)}, which was debited from the balance. The gateway retries by itself. Its log has the answers of the payment method.`,
    )
}

const disputeReversalTrouble = ({ state }: Order, { dispute }: Payment): string | undefined =>
  state === 'lost' && dispute === 'won'
    ? 'The dispute was won after it was lost. Add the funds again by hand.'
    : undefined
