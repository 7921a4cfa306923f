// Conversion of Stripe's objects (session, payment intent, charge, refunds, disputes) to a payment. Pure.
import type Stripe from 'stripe'
import type { Payment, PaymentRefund } from '../../../src/payment-api.ts'
import { fromStripe, roughlyFromStripe } from './amounts.ts'

/** Metadata fields with the IDs of the order and the refund. */
export const ORDER_FIELD = 'tollgate_order'
export const REFUND_FIELD = 'tollgate_refund'
/** Metadata fields of a charge with the computed tax, in Stripe's unit, and its country. */
export const TAX_FIELD = 'tollgate_tax'
export const COUNTRY_FIELD = 'tollgate_tax_country'

/** Refunds and disputes of a payment, which Stripe's session does not contain. */
export interface Reversals {
  refunds: readonly Stripe.Refund[]
  disputes: readonly Stripe.Dispute[]
}

/** Converts a payment on Stripe's page. @param session with expanded payment intent, charge and balance transaction */
export function paymentOfSession(session: Stripe.Checkout.Session, reversals: Reversals): Payment {
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
    ...(intent ? paymentOfIntent(intent, reversals) : {}),
    state: stateOfSession(session, intent),
    // The paid amount, or the requested one until then.
    ...(intent?.status === 'succeeded' ? amountOfIntent(intent) : requested),
    order_id: orderIdOf(session.metadata),
    ...tax,
    ...(tax_country ? { tax_country } : {}),
    is_test: !session.livemode,
  }
}

/** A paid session does not suffice: its payment intent must have succeeded, too. */
function stateOfSession(
  { status, payment_status }: Stripe.Checkout.Session,
  intent: Stripe.PaymentIntent | null,
): Payment['state'] {
  if (payment_status === 'paid') return intent?.status === 'succeeded' ? 'paid' : 'pending'
  if (status === 'open') return 'open'
  if (status === 'expired') return 'failed'
  // Complete and unpaid: a method whose money arrives days later, or has failed.
  const has_failed = intent?.status === 'requires_payment_method' || intent?.status === 'canceled'
  return has_failed ? 'failed' : 'pending'
}

/** Converts a charge of a saved card. @param intent with expanded charge and balance transaction */
export function paymentOfIntent(intent: Stripe.PaymentIntent, { refunds, disputes }: Reversals): Payment {
  const charge = typeof intent.latest_charge === 'string' ? null : intent.latest_charge
  const fee_minor = charge ? feeOf(charge) : undefined
  const dispute = disputeOf(disputes)
  const due_s = disputes.find(({ evidence_details }) => evidence_details?.due_by)?.evidence_details.due_by
  return {
    state: STATE_OF_INTENT[intent.status] ?? 'open',
    ...amountOfIntent(intent),
    order_id: orderIdOf(intent.metadata),
    payment_reference: intent.id,
    ...taxOf(intent),
    ...(fee_minor === undefined ? {} : { fee_minor }),
    ...(charge?.receipt_url ? { receipt_url: charge.receipt_url } : {}),
    refunds: refunds.map(refundOf),
    ...(dispute ? { dispute } : {}),
    ...(due_s ? { dispute_due_ms: due_s * 1_000 } : {}),
    is_test: !intent.livemode,
  }
}

/** The tax computed before a charge of a saved card. For a page, the session has the tax. */
function taxOf({ metadata, currency }: Stripe.PaymentIntent): Pick<Payment, 'tax_minor' | 'tax_country'> {
  const { [TAX_FIELD]: tax = '', [COUNTRY_FIELD]: tax_country } = metadata ?? {}
  if (!/^\d{1,12}$/.test(tax)) return {}
  return { tax_minor: roughlyFromStripe(Number(tax), currency), ...(tax_country ? { tax_country } : {}) }
}

/** Off session no person can try another card: a payment that is not in progress has failed. */
const STATE_OF_INTENT: Readonly<Record<string, Payment['state']>> = {
  succeeded: 'paid',
  processing: 'pending',
  requires_payment_method: 'failed',
  requires_action: 'failed',
  canceled: 'failed',
}

const amountOfIntent = ({
  status,
  amount,
  amount_received,
  currency,
}: Stripe.PaymentIntent): Pick<Payment, 'currency' | 'amount_minor'> => ({
  currency: currency.toUpperCase(),
  amount_minor: fromStripe(status === 'succeeded' ? amount_received : amount, currency),
})

/** Returns 0, which is no order's ID, if the metadata lacks the order. */
const orderIdOf = (metadata: Stripe.Metadata | null): number => {
  const text = metadata?.[ORDER_FIELD] ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : 0
}

/** Returns the fee in the currency of the payment. If Stripe's balance is in another currency, converts it by the fee's share of the amount. */
function feeOf({ amount, currency, balance_transaction }: Stripe.Charge): number | undefined {
  if (balance_transaction === null || typeof balance_transaction === 'string') return undefined
  const { fee, amount: credited, currency: of_balance } = balance_transaction
  if (of_balance === currency) return roughlyFromStripe(fee, currency)
  return credited === 0 ? undefined : roughlyFromStripe((fee / credited) * amount, currency)
}

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

/** Combines all disputes of a payment: lost before open before won. @returns undefined without disputes */
function disputeOf(disputes: readonly Stripe.Dispute[]): Payment['dispute'] {
  const states = disputes.map(stateOfDispute)
  return (['lost', 'open', 'won'] as const).find((state) => states.includes(state))
}

/** Inquiries (`warning_…`) count as disputes; a closed inquiry took no money. */
function stateOfDispute({ status, balance_transactions }: Stripe.Dispute): NonNullable<Payment['dispute']> {
  if (status === 'lost') return 'lost'
  if (status === 'won' || status === 'warning_closed') return 'won'
  if (status !== 'prevented') return 'open'
  // `prevented`: the card network resolved the dispute at once, and may have taken the money.
  const moved = balance_transactions.reduce((sum, { amount }) => sum + amount, 0)
  return moved < 0 ? 'lost' : 'won'
}
