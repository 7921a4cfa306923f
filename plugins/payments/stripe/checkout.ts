// Request bodies for Stripe: a page to pay an order, and a charge of a saved card. Pure.
import { createHash } from 'node:crypto'
import type Stripe from 'stripe'
import { conflict } from '../../../src/domain/errors.ts'
import type { PaymentOrder } from '../../../src/payment-api.ts'
import { toStripe } from './amounts.ts'
import { COUNTRY_FIELD, ORDER_FIELD, TAX_FIELD } from './payment.ts'
import type { StripeSettings } from './settings.ts'

/** Stripe requires a page to stay open for at least 30 minutes. */
const MIN_OPEN_MS = 31 * 60_000

/** The Stripe customer of an account. */
export type Customer = { reference: string }

/**
 * Builds an idempotency key. The order's address distinguishes gateways that share a Stripe account, and its expiry an order with the same ID
 * from before a restored backup.
 */
export const idempotencyKeyOf = (
  what: string,
  { return_url, expires_at_ms }: Pick<PaymentOrder, 'return_url' | 'expires_at_ms'>,
): string =>
  `tollgate-${what}-${createHash('sha256').update(`${return_url} ${expires_at_ms}`).digest('base64url')}`

const orderMetadata = ({ id, return_url }: PaymentOrder): Stripe.MetadataParam => ({
  [ORDER_FIELD]: String(id),
  tollgate_url: return_url,
})

/** Whether an object at Stripe was created for this order, and not for an order with the same ID in another database. */
export const belongsToOrder = (order: PaymentOrder, metadata: Stripe.Metadata): boolean =>
  Object.entries(orderMetadata(order)).every(([name, value]) => metadata[name] === value)

/** @throws GatewayError conflict for an order that is about to expire; invalid_request for an amount that Stripe does not charge */
export function pageParams(
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
    metadata: orderMetadata(order),
    payment_intent_data: { description, metadata: orderMetadata(order) },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: currency.toLowerCase(),
          unit_amount: toStripe(amount_minor, currency),
          product_data: { name: description },
          // The order's amount includes the tax.
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
    // Stripe must not choose another currency than the order's.
    adaptive_pricing: { enabled: false },
    expires_at: Math.floor(expires_at_ms / 1_000),
    success_url: return_url,
    cancel_url: return_url,
  }
}

/** The tax of a charge, computed before the charge. */
export interface ComputedTax {
  /** Stripe's ID of the calculation, which the payment references: https://docs.stripe.com/tax/payment-intent. */
  calculation: string
  /** In Stripe's unit of the currency. */
  tax: number
  country: string
}

/** Builds an off-session charge of a saved card. @param tax result of Stripe Tax, if it is on */
export function chargeParams(
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
      ...orderMetadata(order),
      ...(tax ? { [TAX_FIELD]: String(tax.tax), [COUNTRY_FIELD]: tax.country } : {}),
    },
    ...(tax ? { hooks: { inputs: { tax: { calculation: tax.calculation } } } } : {}),
  }
}
