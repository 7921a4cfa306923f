// Tax of saved-card charges: Stripe Tax computes it before the charge, included in the amount, and reverses it with refunds.
import type Stripe from 'stripe'
import type { PaymentOrder } from '../../../src/payment-api.ts'
import { messageOf } from '../../../src/utilities/thrown.ts'
import { toStripe } from './amounts.ts'
import type { ComputedTax, Customer } from './checkout.ts'
import { isMissing, lacksLocation } from './failures.ts'

const NO_ADDRESS = {
  refused:
    'The tax of this payment cannot be computed without your address. Save the card again, or add funds once by hand.',
}

/**
 * Computes the tax in the amount of an order. Without an idempotency key: no money moves, and with a key Stripe would repeat a failure for a day.
 *
 * @returns a refusal if Stripe has no sufficient address of the customer
 * @throws errors of Stripe's library for an unknown customer; Error if Stripe Tax fails: then nothing may be charged
 */
export async function computeTax(
  stripe: Stripe,
  order: PaymentOrder,
  { reference: customer }: Customer,
): Promise<ComputedTax | { refused: string }> {
  const { id, currency, amount_minor } = order
  const amount = toStripe(amount_minor, currency)
  try {
    const found = await stripe.customers.retrieve(customer)
    const address = found.deleted ? null : found.address
    // For a deleted customer, Stripe refuses the calculation as for an unknown one.
    if (!found.deleted && !address?.country) return NO_ADDRESS
    const made = await stripe.tax.calculations.create({
      currency: currency.toLowerCase(),
      customer,
      line_items: [{ amount, reference: `order ${id}`, tax_behavior: 'inclusive' }],
    })
    if (made.id === null || made.amount_total !== amount)
      throw new Error(`its total is ${made.amount_total}, and not ${amount}`)
    const country = made.customer_details.address?.country ?? address?.country ?? ''
    return { calculation: made.id, tax: made.tax_amount_inclusive, country }
  } catch (cause) {
    if (lacksLocation(cause)) return NO_ADDRESS
    if (isMissing(cause, 'customer')) throw cause
    // A plain Error, unlike Stripe's refusals of cards, is retried.
    throw new Error(`Stripe Tax did not compute the tax of order ${id}: ${messageOf(cause)}`, { cause })
  }
}

/** Converts an address for the Stripe customer; the tax of later charges is computed from it. */
export const addressOf = (address: Stripe.Address): Stripe.AddressParam =>
  Object.fromEntries(Object.entries(address).filter(([, part]) => part !== null))
