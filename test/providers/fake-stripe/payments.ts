// Payments of the fake Stripe: behaviour of test cards and bank accounts, charges with fees, refunds and disputes.
import { declined, invalid } from './errors.ts'
import { all, type FakeState, feeOf, make, type StripeObject } from './state.ts'
import { record } from './tax.ts'

/** The means of a payer. */
export type Means =
  | 'card'
  /** Declined. */
  | 'card_declined'
  /** Charged on the page, and declined off session. */
  | 'card_asking'
  /** Its money arrives days later. */
  | 'sepa_debit'

export type Emit = (type: string, object: StripeObject) => void

/** A charge that succeeded, with Stripe's fee. */
function charge(state: FakeState, intent: StripeObject): StripeObject {
  const amount = Number(intent.amount)
  const { currency, customer } = intent
  const made = make(state, 'charge', {
    amount,
    amount_refunded: 0,
    currency,
    customer,
    disputed: false,
    paid: true,
    refunded: false,
    status: 'succeeded',
    metadata: intent.metadata,
    payment_intent: intent.id,
    receipt_url: `https://pay.stripe.com/receipts/${intent.id}`,
    balance_transaction: null as string | null,
  })
  const fee = feeOf(amount)
  const moved = make(state, 'balance_transaction', {
    amount,
    currency,
    fee,
    net: amount - fee,
    exchange_rate: null,
    source: made.id,
    status: 'pending',
    type: 'charge',
  })
  made.balance_transaction = moved.id
  return made
}

export function makeIntent(state: FakeState, fields: Record<string, unknown>): StripeObject {
  return make(state, 'payment_intent', {
    amount_received: 0,
    latest_charge: null,
    status: 'requires_payment_method',
    payment_method: null,
    last_payment_error: null,
    ...fields,
  })
}

/** A payment succeeds. */
export function succeed(state: FakeState, intent: StripeObject, emit: Emit): void {
  intent.latest_charge = charge(state, intent).id
  Object.assign(intent, { status: 'succeeded', amount_received: intent.amount })
  record(state, intent, Number(intent.amount))
  emit('payment_intent.succeeded', intent)
}

/** Charges a saved card without the person. @throws StripeRefusal if the bank declines */
export function chargeOffSession(state: FakeState, intent: StripeObject, means: Means, emit: Emit): void {
  if (means === 'card' || means === 'sepa_debit') {
    succeed(state, intent, emit)
    return
  }
  const code = means === 'card_asking' ? 'authentication_required' : 'generic_decline'
  const message =
    means === 'card_asking'
      ? 'Your card was declined. This transaction requires authentication.'
      : 'Your card was declined.'
  Object.assign(intent, {
    status: 'requires_payment_method',
    last_payment_error: declined(code, message).error,
  })
  emit('payment_intent.payment_failed', intent)
  throw declined(code, message, intent)
}

const chargeIn = (state: FakeState, intent_id: string): StripeObject => {
  const intent = state.objects.get(intent_id)
  const found = intent && state.objects.get(String(intent.latest_charge))
  if (!found) throw invalid(`This PaymentIntent (${intent_id}) does not have a successful charge to refund.`)
  return found
}

export function refund(
  state: FakeState,
  {
    payment_intent,
    amount: requested,
    metadata,
    status,
  }: { payment_intent: string; amount: number | undefined; metadata: Record<string, string>; status: string },
  emit: Emit,
): StripeObject {
  const paid = chargeIn(state, payment_intent)
  const left = Number(paid.amount) - Number(paid.amount_refunded)
  const amount = requested ?? left
  if (paid.disputed === true)
    throw invalid('Charge has been charged back; cannot issue a refund.', { code: 'charge_disputed' })
  if (left === 0)
    throw invalid(`Charge ${paid.id} has already been refunded.`, { code: 'charge_already_refunded' })
  if (amount > left)
    throw invalid(`Refund amount (${amount}) is greater than unrefunded amount on charge (${left})`, {
      param: 'amount',
    })
  const made = make(state, 'refund', {
    amount,
    currency: paid.currency,
    charge: paid.id,
    payment_intent,
    status,
    metadata,
    reason: null,
  })
  if (status !== 'failed') record(state, state.objects.get(payment_intent), -amount)
  if (status !== 'failed')
    Object.assign(paid, { amount_refunded: Number(paid.amount_refunded) + amount, refunded: amount === left })
  emit('charge.refunded', paid)
  return made
}

/** Decides a pending refund. */
export function decideRefund(state: FakeState, id: string, status: 'succeeded' | 'failed', emit: Emit): void {
  const found = state.objects.get(id)
  if (!found) throw new Error(`no refund ${id}`)
  const paid = state.objects.get(String(found.charge))
  if (status === 'failed' && paid)
    Object.assign(paid, {
      amount_refunded: Number(paid.amount_refunded) - Number(found.amount),
      refunded: false,
    })
  Object.assign(found, {
    status,
    ...(status === 'failed' ? { failure_reason: 'expired_or_canceled_card' } : {}),
  })
  emit(status === 'failed' ? 'refund.failed' : 'refund.updated', found)
}

/** The payer's bank disputes a payment, or changes the dispute's status. */
export function dispute(state: FakeState, payment_intent: string, status: string, emit: Emit): StripeObject {
  const paid = chargeIn(state, payment_intent)
  const known = all(state, 'dispute').find((one) => one.payment_intent === payment_intent)
  paid.disputed = true
  if (known) {
    known.status = status
    const is_closed = ['won', 'lost', 'warning_closed', 'prevented'].includes(status)
    emit(is_closed ? 'charge.dispute.closed' : 'charge.dispute.updated', known)
    return known
  }
  const made = make(state, 'dispute', {
    amount: paid.amount,
    currency: paid.currency,
    charge: paid.id,
    payment_intent,
    status,
    reason: 'fraudulent',
    evidence_details: { due_by: 1_800_000_000 },
    is_charge_refundable: status.startsWith('warning_'),
    balance_transactions: [],
  })
  emit('charge.dispute.created', made)
  return made
}
