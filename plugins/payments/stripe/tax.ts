// The tax of charges of saved cards, computed by Stripe Tax before the charge, within its amount. Stripe records it with the payment, and takes it back with refunds.
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
 * Computes the tax in the amount of an order. It moves nothing, so it has no key of its own: under one, Stripe would repeat a failure for a day.
 *
 * @returns a refusal where Stripe knows no address of the customer that is enough for it
 * @throws what Stripe's library throws for a customer that is unknown there; Error where Stripe Tax computes nothing: nothing may be charged then
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
    // A calculation for a deleted one is refused by Stripe, as one for an unknown one is.
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
    // Of another form than Stripe's refusals of cards: it is tried again.
    throw new Error(`Stripe Tax did not compute the tax of order ${id}: ${messageOf(cause)}`, { cause })
  }
}

/** An address as the customer of Stripe gets it, by which the tax of later charges is computed. */
export const addressOf = (address: Stripe.Address): Stripe.AddressParam =>
  Object.fromEntries(Object.entries(address).filter(([, part]) => part !== null))
