// Example orders, refunds and payments for tests: 25.00 EUR for 27.00 USD.
import type { Order, OrderRefund } from '../../plugins/payments/tables.ts'
import type { Payment } from '../../src/payment-api.ts'
import { CREDIT, NOW } from './world.ts'

export const anOrder = (other: Partial<Order> = {}): Order => ({
  id: 7,
  account_id: 1,
  person_id: null,
  kind: 'top_up',
  provider: 'fake',
  reference: 'fake-7',
  currency: 'EUR',
  amount_minor: 2_500,
  rate_nanos: 1_080_000_000,
  credit_nanos: CREDIT,
  bonus_nanos: 0,
  state: 'open',
  created_at_ms: NOW,
  changed_at_ms: NOW,
  expires_at_ms: NOW + 1_000,
  paid_at_ms: null,
  next_look_at_ms: null,
  looks: 0,
  unanswered_since_ms: null,
  trouble: null,
  payment_reference: null,
  fee_minor: null,
  tax_minor: null,
  tax_country: null,
  receipt_url: null,
  refunded_minor: 0,
  is_live: 1,
  request_key: null,
  pending_since_ms: null,
  plan_period_id: null,
  ...other,
})

export const aRefund = (other: Partial<OrderRefund> = {}): OrderRefund => ({
  id: 3,
  order_id: 7,
  account_id: 1,
  amount_minor: 1_000,
  debit_nanos: 10_800_000_000,
  into_debt: 0,
  reason: '',
  state: 'debited',
  reference: null,
  created_at_ms: NOW,
  changed_at_ms: NOW,
  next_look_at_ms: null,
  ...other,
})

export const aPayment = (other: Partial<Payment> = {}): Payment => ({
  state: 'paid',
  currency: 'EUR',
  amount_minor: 2_500,
  order_id: 7,
  ...other,
})
