// Requests to Stripe: a page to pay an order, a page to save a card, a charge of a saved card. Pure.
import { createHash } from 'node:crypto'
import type Stripe from 'stripe'
import { conflict } from '../../../src/domain/errors.ts'
import type { PaymentOrder } from '../../../src/payment-api.ts'
import { toStripe } from './amounts.ts'
import { COUNTRY_FIELD, ORDER_FIELD, TAX_FIELD } from './payment.ts'
import type { StripeSettings } from './settings.ts'

/** Stripe keeps a page for 30 minutes at least. */
const MIN_OPEN_MS = 31 * 60_000

/** The customer of Stripe that stands for an account. */
export type Customer = { reference: string }

/**
 * A key under which Stripe does the same thing once. The order's page and its end tell gateways apart that share a Stripe account, and a
 * database that was restored from what it was.
 */
export const keyOf = (
  what: string,
  { return_url, expires_at_ms }: Pick<PaymentOrder, 'return_url' | 'expires_at_ms'>,
): string =>
  `tollgate-${what}-${createHash('sha256').update(`${return_url} ${expires_at_ms}`).digest('base64url')}`

const markOf = ({ id, return_url }: PaymentOrder): Stripe.MetadataParam => ({
  [ORDER_FIELD]: String(id),
  tollgate_url: return_url,
})

/** Reports whether an object at Stripe was made for this order, and not for one of its number in another database. */
export const isMarkOf = (order: PaymentOrder, metadata: Stripe.Metadata): boolean =>
  Object.entries(markOf(order)).every(([name, value]) => metadata[name] === value)

/** @throws GatewayError conflict for an order that is about to expire; invalid_request for an amount that Stripe does not charge */
export function pageOf(
  order: PaymentOrder,
  { methods, tax }: Pick<StripeSettings, 'methods' | 'tax'>,
  { reference: customer }: Customer,
  now_ms: number,
): Stripe.Checkout.SessionCreateParams {
  const { id, currency, amount_minor, description, return_url, expires_at_ms } = order
  if (expires_at_ms - now_ms < MIN_OPEN_MS)
    throw conflict(`Order ${id} expires too soon to be paid by card. Make a new one.`, {
      code: 'order_closed',
    })
  return {
    mode: 'payment',
    customer,
    client_reference_id: String(id),
    metadata: markOf(order),
    payment_intent_data: { description, metadata: markOf(order) },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount: toStripe(amount_minor, currency),
          product_data: { name: description },
          // The payer pays the order's amount, whatever part of it is tax.
          ...(tax ? { tax_behavior: 'inclusive' as const } : {}),
        },
      },
    ],
    ...(tax
      ? {
          automatic_tax: { enabled: true },
          billing_address_collection: 'required' as const,
          customer_update: { address: 'auto' as const, name: 'auto' as const },
          tax_id_collection: { enabled: true },
        }
      : {}),
    ...(methods ? { allowed_payment_method_types: [...methods] } : {}),
    // An order has one currency: none of Stripe's choice.
    adaptive_pricing: { enabled: false },
    expires_at: Math.floor(expires_at_ms / 1_000),
    success_url: return_url,
    cancel_url: return_url,
  }
}

/** The tax of a charge, computed before it. */
export interface ComputedTax {
  /** Stripe's number of the calculation, which the payment names: https://docs.stripe.com/tax/payment-intent. */
  calculation: string
  /** In Stripe's unit of the currency. */
  tax: number
  country: string
}

/** A charge of a saved card, without the person. @param tax where Stripe Tax has computed it */
export function chargeOf(
  order: PaymentOrder,
  { reference: customer, card_reference: payment_method }: Customer & { card_reference: string },
  tax: ComputedTax | undefined,
): Stripe.PaymentIntentCreateParams {
  const { currency, amount_minor, description } = order
  return {
    amount: toStripe(amount_minor, currency),
    currency: currency.toLowerCase(),
    customer,
    payment_method,
    allowed_payment_method_types: ['card'],
    confirm: true,
    off_session: true,
    description,
    metadata: {
      ...markOf(order),
      ...(tax ? { [TAX_FIELD]: String(tax.tax), [COUNTRY_FIELD]: tax.country } : {}),
    },
    ...(tax ? { hooks: { inputs: { tax: { calculation: tax.calculation } } } } : {}),
  }
}
