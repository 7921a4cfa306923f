// Tax of charges of saved cards, over sockets: computed before the charge and within it, once; its records and refunds, and refusals without an address.
import { beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { createOrder } from '../../../plugins/payments/ordering.ts'
import { recordsOf } from '../../../plugins/payments/report/records.ts'
import { computeTax } from '../../../plugins/payments/stripe/tax.ts'
import type { Order } from '../../../plugins/payments/tables.ts'
import type { PaymentOrder } from '../../../src/payment-api.ts'
import { stripeScene } from './scene.ts'

setDefaultTimeout(60_000)

const BY = { actor: { kind: 'system' as const }, now_ms: 1 }
const NO_ADDRESS =
  'The tax of this payment cannot be computed without your address. Save the card again, or add funds once by hand.'
const scene = await stripeScene({ lines: 'tax = true', key: 'sk_live_of_the_fake' })
beforeEach(async () => {
  scene.stripe.mishaps.length = 0
  await scene.payments.cards.remove(scene.account_id, BY)
})

/** Saves a card. @param address of its customer at Stripe; absent: the one of the page */
async function saveCard(address?: Record<string, string> | null): Promise<void> {
  const page = await scene.payments.cards.begin({ account_id: scene.account_id, account: 'lena' }, 7)
  scene.stripe.pay(page.slice(page.lastIndexOf('/') + 1))
  await scene.stripe.webhooks.settled()
  expect(await scene.payments.cards.of(scene.account_id)).toMatchObject({ last4: '4242' })
  if (address !== undefined) Object.assign(customer(), { address })
}
const objects = (kind: string) =>
  [...scene.stripe.state.objects.values()].filter(({ object }) => object === kind)
const customer = () => objects('customer').at(-1) ?? {}
/** Makes an order, and charges the saved card for it by a lookup, as each later one does. */
async function chargeByLookup(amount_minor = 2_500, currency = 'EUR'): Promise<Order> {
  const { parts, settings } = scene.payments
  const request = { account_id: scene.account_id, kind: 'automatic', method: 'stripe', currency } as const
  const order = await createOrder(parts, settings(), { ...request, amount_minor })
  await scene.look(order).catch(() => {})
  return await scene.read(order)
}
const reasonOf = async ({ id }: Order) =>
  (
    await scene.gateway.store.rows<{ detail: string }>(
      `SELECT detail FROM state_changes WHERE subject = 'orders' AND subject_id = ${id} ORDER BY id DESC`,
    )
  )[0]?.detail
const chargeRequests = () =>
  scene.stripe.requests.filter((request) => request === 'POST /v1/payment_intents').length

test('the page to save a card on asks for the address, by which the customer is taxed', async () => {
  await saveCard()
  expect(customer()).toMatchObject({ address: { line1: 'Allee 1', postal_code: '10115', country: 'DE' } })
})

test.each([
  [2_500, 'EUR', 417],
  [2_500, 'JPY', 417],
  // In hundredths at Stripe.
  [2_500, 'ISK', 417],
  // In thousandths, of which the last digit is 0.
  [2_500, 'KWD', 417],
])('a charge of %d %s includes the tax of its country', async (amount_minor, currency, tax_minor) => {
  await saveCard()
  const order = await chargeByLookup(amount_minor, currency)
  expect(order).toMatchObject({ state: 'paid', amount_minor, tax_minor, tax_country: 'DE' })
})

test('the tax is 0, not unknown, where none is due', async () => {
  await saveCard({ country: 'CH' })
  expect(await chargeByLookup()).toMatchObject({ state: 'paid', tax_minor: 0, tax_country: 'CH' })
})

test.each([
  ['calculation', [503, 503, 503]],
  ['answer on the calculation', ['lost', 'lost', 'lost']],
] as const)('a lost %s charges nothing, and the next lookup charges once', async (_, mishaps) => {
  await saveCard()
  const before = [chargeRequests(), objects('payment_intent').length] as const
  // After the requests for an earlier charge and for the customer.
  const { network } = scene.stripe
  scene.stripe.network = (url, init) => {
    if (url.endsWith('/tax/calculations')) {
      scene.stripe.mishaps.push(...mishaps)
      scene.stripe.network = network
    }
    return network(url, init)
  }
  const order = await chargeByLookup()
  expect([order.state, chargeRequests() - before[0]]).toEqual(['open', 0])
  scene.stripe.mishaps.length = 0
  await scene.look(order)
  expect(await scene.read(order)).toMatchObject({ state: 'paid', tax_minor: 417 })
  expect(objects('payment_intent').length - before[1]).toBe(1)
})

test('nothing is charged until Stripe Tax is set up, and then the next lookup charges, despite the answers that Stripe keeps by key', async () => {
  await saveCard()
  scene.stripe.behaviour.is_tax_active = false
  const order = await chargeByLookup()
  scene.stripe.behaviour.is_tax_active = true
  expect(order.state).toBe('open')
  await scene.look(order)
  expect(await scene.read(order)).toMatchObject({ state: 'paid', tax_minor: 417 })
})

test('a customer that was deleted at Stripe has no saved card', async () => {
  await saveCard()
  Object.assign(customer(), { deleted: true })
  const order = await chargeByLookup()
  expect([order.state, await reasonOf(order), await scene.payments.cards.of(scene.account_id)]).toEqual([
    'cancelled',
    expect.stringContaining('No card is saved. Save one.'),
    undefined,
  ])
})

test('a charge whose answer was lost is found again, with its tax', async () => {
  await saveCard()
  const before = objects('payment_intent').length
  const { network } = scene.stripe
  scene.stripe.network = (url, init) => {
    if (url.endsWith('/payment_intents') && init.method === 'POST') {
      scene.stripe.mishaps.push('lost', 'lost', 'lost')
      scene.stripe.network = network
    }
    return network(url, init)
  }
  const order = await chargeByLookup()
  scene.stripe.mishaps.length = 0
  await scene.look(order)
  expect(await scene.read(order)).toMatchObject({ state: 'paid', tax_minor: 417, tax_country: 'DE' })
  expect(objects('payment_intent').length - before).toBe(1)
})

test.each<[string, Record<string, string> | null]>([
  ['no address, as for a card that was saved before tax was on', null],
  ['an address without a country', { city: 'Berlin' }],
  ['an address that Stripe Tax does not find', { country: 'US' }],
])('with %s, the charge is refused with advice', async (_, address) => {
  await saveCard(address)
  const before = chargeRequests()
  const order = await chargeByLookup()
  expect([order.state, await reasonOf(order), chargeRequests() - before]).toEqual([
    'cancelled',
    expect.stringContaining(NO_ADDRESS),
    0,
  ])
})

test('refunds return their parts of the tax, at Stripe and in the records, and together all of it', async () => {
  await saveCard()
  const { id } = await chargeByLookup()
  await scene.refund({ id }, 1_000)
  await scene.refund({ id }, null)
  const { payment_reference } = await scene.read({ id })
  const recorded = objects('tax.transaction').filter((one) => one.payment_intent === payment_reference)
  expect(recorded.map(({ amount, amount_tax }) => [amount, amount_tax])).toEqual([
    [2_500, 417],
    [-1_000, -167],
    [-1_500, -250],
  ])
  const records = await Array.fromAsync(
    recordsOf(scene.gateway.store, { since_ms: 0, until_ms: Date.now() + 60_000 }),
  )
  const own = records.flat().filter(({ order }) => order.id === id)
  expect(own.map(({ type, tax_minor }) => [type, tax_minor])).toEqual([
    ['payment', 417],
    // Rounded here, apart from Stripe.
    ['refund', -166],
    ['refund', -251],
  ])
})

describe('Stripe Tax', () => {
  const order = {
    ...{ id: 12, currency: 'EUR', amount_minor: 2_500, expires_at_ms: 1 },
    return_url: 'https://gateway.example/console/orders/12',
  } as PaymentOrder
  const stripeReturning = (calculation: object) =>
    ({
      customers: { retrieve: async () => ({ address: { country: 'DE' } }) },
      tax: { calculations: { create: async () => calculation } },
    }) as never
  const whole = {
    id: 'taxcalc_1',
    amount_total: 2_500,
    tax_amount_inclusive: 399,
    customer_details: { address: null },
  }

  test('computes the tax within the amount', async () => {
    expect(await computeTax(stripeReturning(whole), order, { reference: 'cus_1' })).toEqual({
      ...{ calculation: 'taxcalc_1', tax: 399, country: 'DE' },
    })
  })

  test.each([
    ['more than the order', { ...whole, amount_total: 2_975 }],
    ['less than the order', { ...whole, amount_total: 2_499 }],
    ['no id', { ...whole, id: null }],
  ])('that computes %s is not trusted, and nothing may be charged', async (_, calculation) => {
    await expect(computeTax(stripeReturning(calculation), order, { reference: 'cus_1' })).rejects.toThrow(
      'Stripe Tax did not compute the tax of order 12',
    )
  })
})
