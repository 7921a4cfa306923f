// Payments read from Stripe's objects, in the shapes of its API reference (docs.stripe.com/api, and the types of its package): a table of results.
import { expect, test } from 'bun:test'
import type Stripe from 'stripe'
import { paymentOfIntent, paymentOfSession, refundOf } from '../../../plugins/payments/stripe/payment.ts'
import type { Payment } from '../../../src/payment-api.ts'

const CHARGE = {
  id: 'ch_3Mm',
  object: 'charge',
  amount: 2_500,
  currency: 'eur',
  receipt_url: 'https://pay.stripe.com/receipts/1',
  balance_transaction: {
    id: 'txn_1',
    object: 'balance_transaction',
    amount: 2_500,
    currency: 'eur',
    fee: 103,
    net: 2_397,
    exchange_rate: null,
  },
}
const INTENT = {
  id: 'pi_3Mt',
  object: 'payment_intent',
  amount: 2_500,
  amount_received: 2_500,
  currency: 'eur',
  latest_charge: CHARGE,
  livemode: true,
  metadata: { tollgate_order: '12' },
  status: 'succeeded',
}
const SESSION = {
  id: 'cs_test_a11',
  object: 'checkout.session',
  amount_total: 2_500,
  automatic_tax: { enabled: false },
  currency: 'eur',
  customer_details: { address: { country: 'DE' } },
  livemode: true,
  metadata: { tollgate_order: '12' },
  mode: 'payment',
  payment_intent: INTENT,
  payment_status: 'paid',
  status: 'complete',
  total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
}
const UNPAID = { ...INTENT, status: 'processing', amount_received: 0, latest_charge: null }
const NOTHING_AFTER = { refunds: [], disputes: [] }
const REFUND = {
  id: 're_1',
  object: 'refund',
  amount: 500,
  currency: 'eur',
  status: 'succeeded',
  metadata: {},
}
const DISPUTE = {
  id: 'du_1',
  object: 'dispute',
  amount: 2_500,
  currency: 'eur',
  status: 'needs_response',
  balance_transactions: [],
}

const ofSession = (session: object, after: object = {}): Payment =>
  paymentOfSession({ ...SESSION, ...session } as unknown as Stripe.Checkout.Session, {
    ...NOTHING_AFTER,
    ...after,
  })
const ofIntent = (intent: object): Payment =>
  paymentOfIntent({ ...INTENT, ...intent } as unknown as Stripe.PaymentIntent, NOTHING_AFTER)

test('a complete payment is read with all its fields', () => {
  expect(ofSession({})).toEqual({
    state: 'paid',
    currency: 'EUR',
    amount_minor: 2_500,
    order_id: 12,
    payment_reference: 'pi_3Mt',
    fee_minor: 103,
    receipt_url: 'https://pay.stripe.com/receipts/1',
    tax_country: 'DE',
    refunds: [],
    is_test: false,
  })
})

test.each<[name: string, session: object, payment: Partial<Payment>]>([
  [
    'a page that waits',
    { status: 'open', payment_status: 'unpaid', payment_intent: null },
    { state: 'open', amount_minor: 2_500, currency: 'EUR' },
  ],
  [
    'a page that expired',
    { status: 'expired', payment_status: 'unpaid', payment_intent: null },
    { state: 'failed' },
  ],
  [
    'a bank debit on its way',
    { payment_status: 'unpaid', payment_intent: UNPAID },
    { state: 'pending', amount_minor: 2_500 },
  ],
  [
    'a bank debit that failed',
    { payment_status: 'unpaid', payment_intent: { ...UNPAID, status: 'requires_payment_method' } },
    { state: 'failed' },
  ],
  [
    'a payment that was cancelled',
    { payment_status: 'unpaid', payment_intent: { ...UNPAID, status: 'canceled' } },
    { state: 'failed' },
  ],
  [
    'a complete page without its payment',
    { payment_status: 'unpaid', payment_intent: null },
    { state: 'pending' },
  ],
  ['a paid session with an unpaid payment', { payment_intent: UNPAID }, { state: 'pending' }],
  ['a paid session with only the id of its payment', { payment_intent: 'pi_3Mt' }, { state: 'pending' }],
  [
    'a free session',
    { payment_status: 'no_payment_required', payment_intent: null, amount_total: 0 },
    { state: 'pending', amount_minor: 0 },
  ],
  [
    'less money than requested',
    { payment_intent: { ...INTENT, amount_received: 100 } },
    { state: 'paid', amount_minor: 100 },
  ],
  ['another order', { metadata: { tollgate_order: '13' } }, { order_id: 13 }],
  ['no order in the metadata', { metadata: {} }, { order_id: 0 }],
  [
    'an order that is not a number in the metadata',
    { metadata: { tollgate_order: '12; 13' } },
    { order_id: 0 },
  ],
  ['test mode', { livemode: false }, { is_test: true }],
  [
    'Stripe Tax',
    { automatic_tax: { enabled: true }, total_details: { amount_tax: 399 } },
    { tax_minor: 399, tax_country: 'DE' },
  ],
  [
    'whole crowns, charged in hundredths',
    {
      currency: 'isk',
      amount_total: 500_000,
      payment_intent: { ...UNPAID, currency: 'isk', amount: 500_000 },
      payment_status: 'unpaid',
    },
    { amount_minor: 5_000, currency: 'ISK' },
  ],
])('%s', (_, session, payment) => {
  expect(ofSession(session)).toMatchObject(payment)
})

test('a fee in another currency is converted to the same part of the payment', () => {
  const in_usd = { amount: 2_700, currency: 'usd', fee: 108, net: 2_592, exchange_rate: 1.08 }
  const payment_intent = { ...INTENT, latest_charge: { ...CHARGE, balance_transaction: in_usd } }
  expect(ofSession({ payment_intent }).fee_minor).toBe(100)
})

test.each<[status: string, state: Payment['state']]>([
  ['succeeded', 'paid'],
  ['processing', 'pending'],
  ['requires_action', 'failed'],
  ['requires_payment_method', 'failed'],
  ['canceled', 'failed'],
  ['requires_confirmation', 'open'],
  ['a status of later', 'open'],
])('a charge of a saved card with the status %s is %s', (status, state) => {
  expect(ofIntent({ status })).toMatchObject({ state, order_id: 12, payment_reference: 'pi_3Mt' })
})

test.each<[name: string, disputes: object[], dispute: Payment['dispute']]>([
  ['no dispute', [], undefined],
  ['a dispute that waits for an answer', [DISPUTE], 'open'],
  ['a dispute under review', [{ ...DISPUTE, status: 'under_review' }], 'open'],
  ['an appeal', [{ ...DISPUTE, status: 'appeal_under_review' }], 'open'],
  ['an inquiry', [{ ...DISPUTE, status: 'warning_needs_response' }], 'open'],
  ['an inquiry under review', [{ ...DISPUTE, status: 'warning_under_review' }], 'open'],
  ['a closed inquiry', [{ ...DISPUTE, status: 'warning_closed' }], 'won'],
  ['a won dispute', [{ ...DISPUTE, status: 'won' }], 'won'],
  ['a lost dispute', [{ ...DISPUTE, status: 'lost' }], 'lost'],
  ['a prevented dispute that took nothing', [{ ...DISPUTE, status: 'prevented' }], 'won'],
  [
    'a dispute prevented by a refund',
    [{ ...DISPUTE, status: 'prevented', balance_transactions: [{ amount: -2_500 }] }],
    'lost',
  ],
  [
    'a won and a lost dispute',
    [
      { ...DISPUTE, status: 'won' },
      { ...DISPUTE, status: 'lost' },
    ],
    'lost',
  ],
  ['a closed inquiry and a dispute after it', [{ ...DISPUTE, status: 'warning_closed' }, DISPUTE], 'open'],
  ['a dispute with an unknown status', [{ ...DISPUTE, status: 'arbitration' }], 'open'],
])('%s is read', (_, disputes, dispute) => {
  expect(ofSession({}, { disputes }).dispute).toBe(dispute)
})

test('the time by which a dispute has to be answered is read, if Stripe names one', () => {
  const dueOf = (evidence_details?: object) =>
    ofSession({}, { disputes: [{ ...DISPUTE, evidence_details }] }).dispute_due_ms
  expect(dueOf({ due_by: 1_800_000_000 })).toBe(1_800_000_000_000)
  expect([dueOf({ due_by: null }), dueOf()]).toEqual([undefined, undefined])
})

test.each<[status: string | null, state: string]>([
  ['succeeded', 'done'],
  ['pending', 'pending'],
  ['requires_action', 'pending'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
  [null, 'pending'],
])('a refund with the status %s is %s', (status, state) => {
  const refund = { ...REFUND, status, metadata: { tollgate_refund: 'refund:3' }, failure_reason: 'declined' }
  expect(refundOf(refund as unknown as Stripe.Refund)).toEqual({
    reference: 're_1',
    key: 'refund:3',
    amount_minor: 500,
    state: state as 'done',
    message: 'declined',
  })
})
