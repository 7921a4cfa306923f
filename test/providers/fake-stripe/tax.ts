// Stripe Tax of the fake Stripe: calculations before a charge, and records of payments and refunds that refer to one.
import { invalid, missing } from './errors.ts'
import type { Fields } from './form.ts'
import { expectOnly, listOf, requiredText, textOf, wholeOf } from './reading.ts'
import { type FakeState, make, type StripeObject } from './state.ts'

/** Tax of a fifth of the net price, as a share of the gross price. */
export const TAX = 1 / 6

/** The countries with tax. Except in the US a country is a sufficient address. */
const TAXED = ['DE', 'FR']

export function calculate(
  state: FakeState,
  fields: Fields,
  { is_tax_active }: { is_tax_active: boolean },
): StripeObject {
  if (!is_tax_active)
    throw invalid('Stripe Tax has not been activated on your account.', { code: 'stripe_tax_inactive' })
  expectOnly(fields, [
    ...['currency', 'customer', 'line_items.amount', 'line_items.reference', 'line_items.tax_behavior'],
  ])
  const id = requiredText(fields, 'customer')
  const customer = state.objects.get(id)
  if (!customer || customer.deleted === true) throw missing('customer', id, 'customer')
  const address = (customer.address ?? {}) as { country?: string; postal_code?: string }
  if (!address.country || (address.country === 'US' && !address.postal_code))
    throw invalid('We could not determine the customer’s tax location.', {
      code: 'customer_tax_location_invalid',
    })
  const [item] = listOf(fields, 'line_items') as Fields[]
  if (!item) throw invalid('Missing required param: line_items.', { param: 'line_items' })
  const amount = wholeOf(item, 'amount')
  const is_inclusive = textOf(item, 'tax_behavior') === 'inclusive'
  const rate = TAXED.includes(address.country) ? TAX : 0
  return make(state, 'tax.calculation', {
    currency: requiredText(fields, 'currency'),
    customer: id,
    customer_details: { address },
    amount_total: is_inclusive ? amount : Math.round(amount * (1 + rate)),
    tax_amount_inclusive: is_inclusive ? Math.round(amount * rate) : 0,
    tax_amount_exclusive: is_inclusive ? 0 : Math.round(amount * rate),
  })
}

/** The report line of a payment that names a calculation, or of its refund (negative). */
export function record(state: FakeState, intent: StripeObject | undefined, amount: number): void {
  const calculation = intent && state.objects.get(String(intent.tax_calculation))
  if (!calculation) return
  const tax = (Number(calculation.tax_amount_inclusive) * amount) / Number(calculation.amount_total)
  make(state, 'tax.transaction', { payment_intent: intent.id, amount, amount_tax: Math.round(tax) })
}
