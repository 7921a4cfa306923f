// Checkout Sessions of a fake Stripe: pages on which an order is paid, or a card is saved.
import { invalid, missing } from './errors.ts'
import type { Field, Fields } from './form.ts'
import { chargeOffSession, type Emit, type Means, makeIntent, succeed } from './payments.ts'
import { expectOnly, fieldsOf, listOf, metadataOf, requiredText, textOf, wholeOf } from './reading.ts'
import { type FakeState, make, type StripeObject } from './state.ts'
import { TAX } from './tax.ts'

const KNOWN = [
  'mode',
  'customer',
  'client_reference_id',
  'metadata.*',
  'payment_intent_data.description',
  'payment_intent_data.metadata.*',
  'setup_intent_data.metadata.*',
  'line_items.quantity',
  'line_items.price_data.currency',
  'line_items.price_data.unit_amount',
  'line_items.price_data.product_data.name',
  'line_items.price_data.tax_behavior',
  'automatic_tax.enabled',
  'billing_address_collection',
  'customer_update.address',
  'customer_update.name',
  'tax_id_collection.enabled',
  'allowed_payment_method_types',
  'adaptive_pricing.enabled',
  'custom_text.submit.message',
  'expires_at',
  'success_url',
  'cancel_url',
  'currency',
]

/** @param origin of the page @throws StripeRefusal */
export function createSession(state: FakeState, fields: Fields, origin: string): StripeObject {
  expectOnly(fields, KNOWN)
  const mode = requiredText(fields, 'mode')
  const customer = requiredText(fields, 'customer')
  const owner = state.objects.get(customer)
  if (!owner || owner.deleted === true) throw missing('customer', customer, 'customer')
  const common = {
    mode,
    customer,
    client_reference_id: textOf(fields, 'client_reference_id') ?? null,
    metadata: metadataOf(fields),
    status: 'open',
    success_url: requiredText(fields, 'success_url'),
    cancel_url: requiredText(fields, 'cancel_url'),
    allowed_payment_method_types:
      fields.allowed_payment_method_types === undefined
        ? null
        : listOf(fields, 'allowed_payment_method_types'),
    customer_details: null,
    collects_address: fields.billing_address_collection === 'required',
    updates_address: fieldsOf(fields, 'customer_update').address === 'auto',
    automatic_tax: { enabled: fieldsOf(fields, 'automatic_tax').enabled === 'true' },
    payment_intent: null,
    setup_intent: null,
  }
  const session = make(
    state,
    'checkout.session',
    mode === 'setup'
      ? {
          ...common,
          amount_total: null,
          currency: null,
          payment_status: 'no_payment_required',
          total_details: null,
          setup_data: fieldsOf(fields, 'setup_intent_data') as Field,
        }
      : { ...common, ...paymentFields(state, fields) },
  )
  return Object.assign(session, { url: `${origin}/pay/${session.id}` })
}

function paymentFields(state: FakeState, fields: Fields): Record<string, unknown> {
  const items = listOf(fields, 'line_items')
  const [item] = items as Fields[]
  if (!item || items.length > 1) throw invalid('Expected one line item', { param: 'line_items' })
  const price = fieldsOf(item, 'price_data')
  const amount_total = wholeOf(price, 'unit_amount') * wholeOf(item, 'quantity')
  if (amount_total < 50) throw invalid('Amount must be at least 50', { code: 'amount_too_small' })
  if (amount_total > 99_999_999)
    throw invalid('Amount must be no more than 99999999', { code: 'amount_too_large' })
  const currency = requiredText(price, 'currency')
  if (!/^[a-z]{3}$/.test(currency)) throw invalid(`Invalid currency: ${currency}`, { param: 'currency' })
  const expires_at = wholeOf(fields, 'expires_at')
  const in_s = expires_at - Math.floor(state.now() / 1_000)
  if (in_s < 30 * 60 || in_s > 24 * 3_600)
    throw invalid(
      'The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.',
      {
        param: 'expires_at',
      },
    )
  const is_taxed = fieldsOf(fields, 'automatic_tax').enabled === 'true'
  if (is_taxed && price.tax_behavior === undefined)
    throw invalid('Tax needs `tax_behavior`', { param: 'line_items' })
  return {
    amount_total,
    currency,
    expires_at,
    payment_status: 'unpaid',
    payment_data: fieldsOf(fields, 'payment_intent_data') as Field,
    total_details: {
      amount_discount: 0,
      amount_shipping: 0,
      amount_tax: is_taxed ? Math.round(amount_total * TAX) : 0,
    },
  }
}

const ADDRESS = {
  line1: 'Allee 1',
  line2: null,
  city: 'Berlin',
  postal_code: '10115',
  state: null,
  country: 'DE',
}

/** The payer pays, or saves a card. @returns an error for the page */
export function submit(
  state: FakeState,
  session: StripeObject,
  means: Means,
  emit: Emit,
): string | undefined {
  if (session.status !== 'open') return 'This page has expired.'
  if (means === 'card_declined') return 'Your card was declined.'
  const method = make(state, 'payment_method', {
    type: means === 'sepa_debit' ? 'sepa_debit' : 'card',
    customer: session.mode === 'setup' ? session.customer : null,
    card: { brand: 'visa', last4: '4242', exp_month: 8, exp_year: 2030, funding: 'credit' },
    billing_details: { address: session.collects_address === true ? ADDRESS : null },
    means,
  })
  session.customer_details = { address: { country: 'DE' }, email: 'payer@example.com' }
  const customer = state.objects.get(String(session.customer))
  if (customer && session.updates_address === true) customer.address = ADDRESS
  if (session.mode === 'setup') {
    const { metadata = {} } = session.setup_data as { metadata?: Record<string, string> }
    session.setup_intent = make(state, 'setup_intent', {
      customer: session.customer,
      payment_method: method.id,
      status: 'succeeded',
      usage: 'off_session',
      metadata,
    }).id
    session.status = 'complete'
    emit('checkout.session.completed', session)
    return undefined
  }
  pay(state, session, method, emit)
  return undefined
}

function pay(state: FakeState, session: StripeObject, method: StripeObject, emit: Emit): void {
  const { description = null, metadata = {} } = session.payment_data as {
    description?: string
    metadata?: Record<string, string>
  }
  const intent = makeIntent(state, {
    amount: session.amount_total,
    currency: session.currency,
    customer: session.customer,
    description,
    metadata,
    payment_method: method.id,
  })
  Object.assign(session, { payment_intent: intent.id, status: 'complete' })
  if (method.type === 'sepa_debit') intent.status = 'processing'
  else {
    succeed(state, intent, emit)
    session.payment_status = 'paid'
  }
  emit('checkout.session.completed', session)
}

/** Days later: the money of an asynchronous payment arrives, or does not. */
export function arrive(state: FakeState, session: StripeObject, has_arrived: boolean, emit: Emit): void {
  const intent = state.objects.get(String(session.payment_intent))
  if (!intent || session.payment_status !== 'unpaid') throw new Error(`${session.id} waits for no money`)
  if (has_arrived) {
    succeed(state, intent, emit)
    session.payment_status = 'paid'
    emit('checkout.session.async_payment_succeeded', session)
    return
  }
  intent.status = 'requires_payment_method'
  emit('payment_intent.payment_failed', intent)
  emit('checkout.session.async_payment_failed', session)
}

export function expire(session: StripeObject, emit: Emit): void {
  if (session.status !== 'open')
    throw invalid('Only Checkout Sessions with a status in ["open"] can be expired.')
  Object.assign(session, { status: 'expired', url: null })
  emit('checkout.session.expired', session)
}

const INTENT = [
  'amount',
  'currency',
  'customer',
  'payment_method',
  'allowed_payment_method_types',
  'confirm',
  'off_session',
  'description',
  'metadata.*',
  'hooks.inputs.tax.calculation',
]

/** A charge of a saved card. @throws StripeRefusal */
export function createIntent(state: FakeState, fields: Fields, emit: Emit): StripeObject {
  expectOnly(fields, INTENT)
  const customer = requiredText(fields, 'customer')
  const method = state.objects.get(requiredText(fields, 'payment_method'))
  if (!method) throw missing('PaymentMethod', String(fields.payment_method), 'payment_method')
  if (method.customer !== customer)
    throw invalid('The customer does not have this payment method.', { param: 'payment_method' })
  if (fields.confirm !== 'true' || fields.off_session !== 'true')
    throw invalid('This fake charges off session only.')
  const amount = wholeOf(fields, 'amount')
  const tax_calculation = textOf(
    fieldsOf(fieldsOf(fieldsOf(fields, 'hooks'), 'inputs'), 'tax'),
    'calculation',
  )
  if (tax_calculation !== undefined && state.objects.get(tax_calculation)?.amount_total !== amount)
    throw invalid('The calculation is unknown, or of another amount.', { param: 'hooks' })
  const intent = makeIntent(state, {
    tax_calculation,
    amount,
    currency: requiredText(fields, 'currency'),
    customer,
    description: textOf(fields, 'description') ?? null,
    metadata: metadataOf(fields),
    payment_method: method.id,
  })
  chargeOffSession(state, intent, method.means as Means, emit)
  return intent
}
