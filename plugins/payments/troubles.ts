// Troubles of an order, each as a sentence for its operator: by the provider's own word, and the gateway's rows. Pure.
import { formatMinor } from '../../src/domain/currencies.ts'
import { HOUR_MS } from '../../src/domain/ranges.ts'
import type { Payment } from '../../src/payment-api.ts'
import { takenBy } from './amounts.ts'
import { ownOf } from './own-refunds.ts'
import { wasPaid } from './states.ts'
import type { Order, OrderRefund } from './tables.ts'

/**
 * @returns null where all is as it has to be, or is so again; so is a payment that does not fit and was given back whole. What was noted of a
 * payment that has not come yet stays.
 */
export function troubleOf(
  order: Order,
  refunds: readonly OrderRefund[],
  payment: Payment,
  now_ms: number,
): string | null {
  if (wasPaid(order.state)) {
    const sentences = [
      changeOf(order, refunds, payment),
      ...refundTroubles(order, refunds, payment),
      ...silentRefunds(order, refunds, payment, now_ms),
      reversalOf(order, payment),
    ]
    return sentences.filter((sentence) => sentence !== undefined).join(' ') || null
  }
  if (payment.state !== 'paid') return order.trouble
  const is_given_back = payment.amount_minor > 0 && givenBack([], payment) >= payment.amount_minor
  return is_given_back ? null : (misfitOf(order, payment) ?? null)
}

/** Why a payment is not the order's: an order is bound to its currency and amount. */
export function misfitOf(
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

/** The sum of refunds that somebody made at the provider. */
const givenBack = (own: readonly OrderRefund[], { refunds = [] }: Payment): number =>
  refunds
    .filter((found) => found.state === 'done' && !ownOf(own, found))
    .reduce((sum, { amount_minor }) => sum + amount_minor, 0)

/** The sentence on a payment that the provider had called paid and does no longer. */
function changeOf(
  { id, state, currency, amount_minor }: Order,
  refunds: readonly OrderRefund[],
  payment: Payment,
): string | undefined {
  const credited = formatMinor(amount_minor, currency)
  if (payment.order_id !== undefined && payment.order_id !== id)
    return `The payment method says now that the payment is for order ${payment.order_id}. ${credited} was credited here. Look at both orders.`
  // Once money was given back, some say no more than that.
  const is_whole = state === 'paid' || state === 'won'
  if (payment.state !== 'paid')
    return is_whole
      ? `The payment method says now that nothing was paid. ${credited} was credited. Look at the payment there, and debit the account if the money is not there.`
      : undefined
  if (payment.currency === currency && payment.amount_minor > amount_minor)
    return givenBack(refunds, payment) >= payment.amount_minor - amount_minor
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
  // The lost dispute has taken all of it from the account.
  if (order_state === 'lost') return []
  const rest_minor = Math.max(0, amount_minor - paid_minor)
  // The rest that the balance never had goes back first; later refunds are not told apart from it.
  let left_minor = rest_minor > 0 ? rest_minor : paid_minor - takenBy(refunds)
  return at_provider.flatMap((found) => {
    const refund = ownOf(refunds, found)
    const refunded = `${formatMinor(found.amount_minor, currency)} was refunded at the payment method`
    if (refund) {
      const came_to_nothing = refund.state === 'failed' || refund.state === 'cancelled'
      return came_to_nothing && found.state === 'done'
        ? [`${refunded}, though refund ${refund.id} came to nothing here. Debit the account by hand.`]
        : []
    }
    if (found.state === 'failed') return []
    left_minor -= found.amount_minor
    return left_minor < 0
      ? [`${refunded}, more than was left of the payment. Debit the account by hand.`]
      : []
  })
}

/** A refund that is neither made nor refused for so long. */
const SILENT_MS = HOUR_MS

function silentRefunds(
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
        !at_provider.some((found) => ownOf([refund], found)),
    )
    .map(
      ({ id, amount_minor }) =>
        `The payment method neither makes nor refuses refund ${id} of ${formatMinor(amount_minor, currency)}, which has left the balance. It is asked again by itself. The log says what it answers.`,
    )
}

const reversalOf = ({ state }: Order, { dispute }: Payment): string | undefined =>
  state === 'lost' && dispute === 'won'
    ? 'The dispute was won after it was lost. Add the funds again by hand.'
    : undefined
