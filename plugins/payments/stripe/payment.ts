// A payment as Stripe's objects have it: session, payment intent, charge, refunds and disputes. Pure.
import type Stripe from 'stripe'
import type { Payment, PaymentRefund } from '../../../src/payment-api.ts'
import { fromStripe, roughlyFromStripe } from './amounts.ts'

/** The fields of metadata that say whose a payment is. */
export const ORDER_FIELD = 'tollgate_order'
export const REFUND_FIELD = 'tollgate_refund'
/** Of a charge whose tax was computed before: in Stripe's unit of the currency, and whose it is. */
export const TAX_FIELD = 'tollgate_tax'
export const COUNTRY_FIELD = 'tollgate_tax_country'

/** Refunds and disputes of a payment, which its session does not contain. */
export interface Aftermath {
  refunds: readonly Stripe.Refund[]
  disputes: readonly Stripe.Dispute[]
}

/** A payment that was begun on Stripe's page. @param session with its payment intent, whose charge and fee are expanded */
export function paymentOfSession(session: Stripe.Checkout.Session, after: Aftermath): Payment {
  const { payment_intent, total_details, customer_details } = session
  const intent = typeof payment_intent === 'string' ? null : payment_intent
  const requested = {
    currency: (session.currency ?? '').toUpperCase(),
    amount_minor: fromStripe(session.amount_total ?? 0, session.currency ?? ''),
  }
  const tax_country = customer_details?.address?.country
  const tax =
    session.automatic_tax.enabled && total_details
      ? { tax_minor: roughlyFromStripe(total_details.amount_tax, session.currency ?? '') }
      : {}
  return {
    ...(intent ? paymentOfIntent(intent, after) : {}),
    state: stateOfSession(session, intent),
    // The amount that was taken, or the requested one until then.
    ...(intent?.status === 'succeeded' ? takenBy(intent) : requested),
    order_id: orderIdOf(session.metadata),
    ...tax,
    ...(tax_country ? { tax_country } : {}),
    is_test: !session.livemode,
  }
}

/** Stripe's word on the session alone is not believed: the payment intent must have the money, too. */
function stateOfSession(
  { status, payment_status }: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
): Payment['state'] {
  if (payment_status === 'paid') return intent?.status === 'succeeded' ? 'paid' : 'pending'
  if (status === 'open') return 'open'
  if (status === 'expired') return 'failed'
  // Complete and unpaid: a method whose money comes days later, or has failed.
  const has_failed = intent?.status === 'requires_payment_method' || intent?.status === 'canceled'
  return has_failed ? 'failed' : 'pending'
}

/** A payment that the gateway made by a saved card. @param intent with its charge and fee expanded */
export function paymentOfIntent(intent: Stripe.PaymentIntent, { refunds, disputes }: Aftermath): Payment {
  const charge = typeof intent.latest_charge === 'string' ? null : intent.latest_charge
  const fee_minor = charge ? feeOf(charge) : undefined
  const dispute = disputeOf(disputes)
  return {
    state: STATE_OF_INTENT[intent.status] ?? 'open',
    ...takenBy(intent),
    order_id: orderIdOf(intent.metadata),
    payment_reference: intent.id,
    ...taxOf(intent),
    ...(fee_minor === undefined ? {} : { fee_minor }),
    ...(charge?.receipt_url ? { receipt_url: charge.receipt_url } : {}),
    refunds: refunds.map(refundOf),
    ...(dispute ? { dispute } : {}),
    is_test: !intent.livemode,
  }
}

/** The tax that was computed before a charge of a saved card; that of a page is in its session. */
function taxOf({ metadata, currency }: Stripe.PaymentIntent): Pick<Payment, 'tax_minor' | 'tax_country'> {
  const { [TAX_FIELD]: tax = '', [COUNTRY_FIELD]: tax_country } = metadata ?? {}
  if (!/^\d{1,12}$/.test(tax)) return {}
  return { tax_minor: roughlyFromStripe(Number(tax), currency), ...(tax_country ? { tax_country } : {}) }
}

/** Off session nobody is there to try another card: what is not under way has failed. */
const STATE_OF_INTENT: Readonly<Record<string, Payment['state']>> = {
  succeeded: 'paid',
  processing: 'pending',
  requires_payment_method: 'failed',
  requires_action: 'failed',
  canceled: 'failed',
}

const takenBy = ({
  status,
  amount,
  amount_received,
  currency,
}: Stripe.PaymentIntent): Pick<Payment, 'currency' | 'amount_minor'> => ({
  currency: currency.toUpperCase(),
  amount_minor: fromStripe(status === 'succeeded' ? amount_received : amount, currency),
})

/** Of no order of any gateway, where the mark is missing: 0 is no order's number. */
const orderIdOf = (metadata: Stripe.Metadata | null): number => {
  const text = metadata?.[ORDER_FIELD] ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}

/** In the currency of the payment: the balance may be in another one, where the fee is the same part of the amount. */
function feeOf({ amount, currency, balance_transaction }: Stripe.Charge): number | undefined {
  if (balance_transaction === null || typeof balance_transaction === 'string') return undefined
  const { fee, amount: credited, currency: of_balance } = balance_transaction
  if (of_balance === currency) return roughlyFromStripe(fee, currency)
  return credited === 0 ? undefined : roughlyFromStripe((fee / credited) * amount, currency)
}

/** One refund as Stripe has it. */
export function refundOf({
  id,
  amount,
  currency,
  status,
  metadata,
  failure_reason,
}: Stripe.Refund): PaymentRefund {
  const key = metadata?.[REFUND_FIELD]
  return {
    reference: id,
    ...(key === undefined ? {} : { key }),
    amount_minor: fromStripe(amount, currency),
    state: STATE_OF_REFUND[status ?? ''] ?? 'pending',
    ...(failure_reason === undefined ? {} : { message: failure_reason }),
  }
}

const STATE_OF_REFUND: Readonly<Record<string, PaymentRefund['state']>> = {
  succeeded: 'done',
  failed: 'failed',
  canceled: 'failed',
}

/** One word on all disputes of a payment: a lost one first, then one that is open. Undefined where there is none. */
function disputeOf(disputes: readonly Stripe.Dispute[]): Payment['dispute'] {
  const states = disputes.map(stateOfDispute)
  return (['lost', 'open', 'won'] as const).find((state) => states.includes(state))
}

/** Inquiries (`warning_…`) are answered as disputes are, and one that is closed took nothing. */
function stateOfDispute({ status, balance_transactions }: Stripe.Dispute): NonNullable<Payment['dispute']> {
  if (status === 'lost') return 'lost'
  if (status === 'won' || status === 'warning_closed') return 'won'
  if (status !== 'prevented') return 'open'
  // The network decided it at once, and may have taken the money all the same.
  const moved = balance_transactions.reduce((sum, { amount }) => sum + amount, 0)
  return moved < 0 ? 'lost' : 'won'
}
