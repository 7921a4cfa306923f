// Saved cards, over sockets: the page, the webhook, the console, charges without the person, and removal.
import { beforeEach, expect, test } from 'bun:test'
import { createOrder } from '../../../plugins/payments/ordering.ts'
import { paymentOrderOf, providerOf } from '../../../plugins/payments/parts.ts'
import { saveReference } from '../../../plugins/payments/store.ts'
import type { Means } from '../../providers/fake-stripe/payments.ts'
import { stripeScene } from './scene.ts'

const scene = await stripeScene()

const BY = { actor: { kind: 'system' as const }, now_ms: 1 }
beforeEach(async () => {
  Object.assign(scene.stripe.webhooks, { way: 'send', copies: 1 })
  await scene.payments.cards.remove(scene.account_id, BY)
})

const CARD = { brand: 'visa', last4: '4242', expires: '2030-08', saved_at_ms: expect.any(Number) }
const cardNow = () => scene.payments.cards.of(scene.account_id)
const beginSaving = async (): Promise<string> => {
  const page = await scene.payments.cards.begin({ account_id: scene.account_id, account: 'lena' }, 7)
  return page.slice(page.lastIndexOf('/') + 1)
}
const saveCard = async (means: Means = 'card'): Promise<string> => {
  const session = await beginSaving()
  scene.stripe.pay(session, means)
  await scene.stripe.webhooks.settled()
  await cardNow()
  return session
}
/** Makes an order, and charges the saved card for it. */
async function charge() {
  const { parts, settings } = scene.payments
  const request = {
    account_id: scene.account_id,
    kind: 'automatic',
    method: 'stripe',
    currency: 'EUR',
    amount_minor: 2_500,
  } as const
  const order = await createOrder(parts, settings(), request)
  const charged = await providerOf(parts, 'stripe').chargeSaved?.(await paymentOrderOf(parts, order), true)
  return { order, charged }
}
const lines = (action: string): number =>
  scene.gateway.db.query('SELECT 1 FROM actions WHERE action = ?').all(action).length

test('an unused page saves no card', async () => {
  await beginSaving()
  expect(await cardNow()).toBeUndefined()
})

test.each([
  ['a webhook', 'send', 1],
  ['three webhooks at once', 'send', 3],
  ['a lookup, if the webhook is lost', 'lose', 1],
] as const)('a card is saved by %s, once', async (_, way, copies) => {
  Object.assign(scene.stripe.webhooks, { way, copies })
  const before = lines('card.saved')
  await saveCard()
  expect(await cardNow()).toEqual(CARD)
  expect(lines('card.saved') - before).toBe(1)
})

test('a card of another customer is not saved', async () => {
  const session = await beginSaving()
  scene.stripe.webhooks.way = 'lose'
  scene.stripe.pay(session)
  scene.stripe.object(session).customer = 'cus_another0000'
  expect(await cardNow()).toBeUndefined()
})

test('a new card replaces the previous one, which is removed at Stripe', async () => {
  const first = await saveCard()
  const { payment_method } = scene.stripe.object(String(scene.stripe.object(first).setup_intent))
  await saveCard()
  expect(scene.stripe.object(String(payment_method)).customer).toBeNull()
  expect(await cardNow()).toEqual(CARD)
})

test('a removed card is removed at Stripe, too, and cannot be charged', async () => {
  const session = await saveCard()
  const { payment_method } = scene.stripe.object(String(scene.stripe.object(session).setup_intent))
  expect(await scene.payments.cards.remove(scene.account_id, BY)).toBe(true)
  expect(await scene.payments.cards.remove(scene.account_id, BY)).toBe(false)
  expect(await cardNow()).toBeUndefined()
  expect(scene.stripe.object(String(payment_method)).customer).toBeNull()
  expect((await charge()).charged).toEqual({ refused: 'No card is saved. Save one.' })
})

test('a saved card is charged without the payer, once for repeated requests, and the charge is credited by its webhook', async () => {
  await saveCard()
  const before = scene.balance()
  const { order, charged } = await charge()
  const { parts } = scene.payments
  const again = await providerOf(parts, 'stripe').chargeSaved?.(await paymentOrderOf(parts, order), true)
  expect(again).toEqual(charged as never)
  await saveReference(scene.gateway.store, order, (charged as { reference: string }).reference)
  await scene.stripe.webhooks.settled()
  await scene.look(order)
  expect(await scene.read(order)).toMatchObject({
    state: 'paid',
    fee_minor: 103,
    payment_reference: expect.stringMatching(/^pi_/),
  })
  expect(Math.round((scene.balance() - before) * 100)).toBe(2_700)
})

test.each([
  ['paid', 'card', { reference: expect.stringMatching(/^pi_/) }],
  ['declined', 'card_declined', { refused: 'The saved card was declined: Your card was declined.' }],
] as const)(
  'a charge that was %s, and whose answer was lost, is found again after another card was saved',
  async (_, means, answer) => {
    await saveCard()
    for (const object of scene.stripe.state.objects.values())
      if (object.object === 'payment_method') object.means = means
    const { parts } = scene.payments
    const { order, charged } = await charge()
    expect(charged).toEqual(answer as never)
    await saveCard('card')
    const charges = () => scene.stripe.requests.filter((request) => request === 'POST /v1/payment_intents')
    const before = charges()
    const again = await providerOf(parts, 'stripe').chargeSaved?.(await paymentOrderOf(parts, order), true)
    expect(again).toEqual(charged as never)
    expect(charges()).toEqual(before)
  },
)

test('a charge that another gateway has just requested is not repeated with a newly saved card', async () => {
  await saveCard()
  const { parts } = scene.payments
  const { order } = await charge()
  await saveCard()
  // Hides the charge, as before Stripe lists it.
  for (const object of scene.stripe.state.objects.values())
    if (object.object === 'payment_intent') object.created = 0
  const input = await paymentOrderOf(parts, order)
  await expect(providerOf(parts, 'stripe').chargeSaved?.(input, true)).rejects.toThrow('idempotent requests')
})

test('a charge that Stripe did not list yet when its order was cancelled without a card is found later, even if its gateway died', async () => {
  await saveCard()
  const before = scene.balance()
  const { parts, settings } = scene.payments
  const { network } = scene.stripe
  const request = { account_id: scene.account_id, kind: 'automatic', method: 'stripe' } as const
  const order = await createOrder(parts, settings(), { ...request, currency: 'EUR', amount_minor: 2_500 })
  scene.stripe.webhooks.way = 'lose'
  // The gateway dies before it gets the answer.
  scene.stripe.network = async (url, init) => {
    const answer = await network(url, init)
    if (url.endsWith('/payment_intents') && init.method === 'POST') throw new Error('killed')
    return answer
  }
  await scene.look(order).catch(() => {})
  scene.stripe.network = network
  const made = [...scene.stripe.state.objects.values()].findLast(({ object }) => object === 'payment_intent')
  if (!made) throw new Error('no card was charged')
  const { created } = made
  made.created = 0
  await scene.payments.cards.remove(scene.account_id, BY)
  await scene.look(order)
  expect(await scene.read(order)).toMatchObject({ state: 'cancelled', reference: null })
  made.created = created
  await scene.look(order)
  await scene.look(order)
  expect(await scene.read(order)).toMatchObject({ state: 'paid', payment_reference: made.id })
  expect(Math.round((scene.balance() - before) * 100)).toBe(2_700)
})

test('a charge that needs the payer’s confirmation is refused with advice', async () => {
  await saveCard('card_asking')
  expect((await charge()).charged).toEqual({
    refused: 'Your bank asks you to confirm the payment. Add funds once by hand, or save another card.',
  })
})

test('a failure of Stripe is reported, and the card stays saved', async () => {
  await saveCard()
  scene.stripe.mishaps.push(500, 500, 500)
  await expect(beginSaving()).rejects.toThrow('Card: the payment method does not answer now.')
  scene.stripe.mishaps.length = 0
  expect(await cardNow()).toEqual(CARD)
})

test('no card is charged after the end of its order or plan, but a charge that was made before is found', async () => {
  await saveCard()
  const { parts } = scene.payments
  const stripe = providerOf(parts, 'stripe')
  const { order, charged } = await charge()
  const input = await paymentOrderOf(parts, order)
  expect(await stripe.chargeSaved?.({ ...input, return_url: `${input.return_url}0` }, false)).toEqual({
    refused: 'The payment could not be made in time.',
  })
  expect(await stripe.chargeSaved?.(input, false)).toEqual(charged)
})
