// Payments on Stripe's page, over sockets: steps of the payer, Stripe and its webhooks, and the order and the balance after them.
import { beforeEach, expect, test } from 'bun:test'
import type { Order } from '../../../plugins/payments/tables.ts'
import { type StripeScene, stripeScene } from './scene.ts'

const scene = await stripeScene()

let before = 0
beforeEach(() => {
  const { webhooks, behaviour } = scene.stripe
  Object.assign(webhooks, { way: 'send', copies: 1 })
  behaviour.refund_status = 'succeeded'
  scene.stripe.mishaps.length = 0
  before = scene.balance()
})
/** The gain of the balance in USD since the start of the test. */
const gained = (): number => Math.round((scene.balance() - before) * 1e6) / 1e6

type Step = (scene: StripeScene, order: Order & { reference: string }) => unknown

const pay: Step = ({ stripe }, { reference }) => stripe.pay(reference)
const payByDebit: Step = ({ stripe }, { reference }) => stripe.pay(reference, 'sepa_debit')
const notify: Step = ({ stripe }) => stripe.webhooks.settled()
const look: Step = (at, order) => at.look(order)
const loseWebhooks: Step = ({ stripe }) => {
  stripe.webhooks.way = 'lose'
}
const holdWebhooks: Step = ({ stripe }) => {
  stripe.webhooks.way = 'hold'
}

/** 25.00 EUR at 1.08. */
const WHOLE = 27

const CASES: [name: string, steps: Step[], state: Order['state'], gained: number][] = [
  ['an unpaid order stays open', [look], 'open', 0],
  ['a payment is credited by its webhook', [pay, notify], 'paid', WHOLE],
  ['a payment whose webhook is lost is credited by a lookup', [loseWebhooks, pay, look], 'paid', WHOLE],
  [
    'repeated webhooks credit once',
    [({ stripe }) => Object.assign(stripe.webhooks, { copies: 3 }), pay, notify, look, look],
    'paid',
    WHOLE,
  ],
  [
    'webhooks in reverse sequence credit once',
    [holdWebhooks, pay, ({ stripe }) => stripe.webhooks.release('reversed'), look],
    'paid',
    WHOLE,
  ],
  [
    'webhooks and lookups at once credit once',
    [pay, (at, order) => Promise.all([look(at, order), look(at, order), notify(at, order)])],
    'paid',
    WHOLE,
  ],
  [
    'a page that expires closes the order',
    [({ stripe }, { reference }) => stripe.expire(reference), notify, look],
    'cancelled',
    0,
  ],
  ['a pending bank debit is not credited yet', [payByDebit, notify, look], 'open', 0],
  [
    'a bank debit that arrives days later is credited',
    [payByDebit, notify, ({ stripe }, { reference }) => stripe.arrive(reference), notify],
    'paid',
    WHOLE,
  ],
  [
    'a bank debit that fails credits nothing',
    [payByDebit, notify, ({ stripe }, { reference }) => stripe.arrive(reference, false), notify],
    'cancelled',
    0,
  ],
  [
    'a payment after the order was cancelled is still credited',
    [
      async ({ payments }, { id }) => {
        const { cancelOrder } = await import('../../../plugins/payments/ordering.ts')
        await cancelOrder(payments.parts, id, { source: 'page' })
      },
      pay,
      notify,
    ],
    'paid',
    WHOLE,
  ],
  [
    'a partial refund is taken from the balance',
    [pay, notify, (at, order) => at.refund(order, 1_000), notify],
    'partly_refunded',
    16.2,
  ],
  [
    'refunds of all parts are taken from the balance',
    [
      pay,
      notify,
      (at, order) => at.refund(order, 1_000),
      notify,
      (at, order) => at.refund(order, null),
      notify,
    ],
    'refunded',
    0,
  ],
  [
    'a refund that Stripe refuses returns the money to the balance',
    [
      pay,
      notify,
      ({ stripe }) => {
        stripe.behaviour.refund_status = 'failed'
      },
      (at, order) => at.refund(order, 1_000),
    ],
    'refund_failed',
    WHOLE,
  ],
  [
    'a pending refund that fails returns the money later',
    [
      pay,
      notify,
      ({ stripe }) => {
        stripe.behaviour.refund_status = 'pending'
      },
      (at, order) => at.refund(order, 1_000),
      ({ stripe }) => stripe.decideRefund(newestRefund(scene), 'failed'),
      notify,
    ],
    'refund_failed',
    WHOLE,
  ],
  [
    'a pending refund is done once Stripe reports it',
    [
      pay,
      notify,
      ({ stripe }) => {
        stripe.behaviour.refund_status = 'pending'
      },
      (at, order) => at.refund(order, 1_000),
      ({ stripe }) => stripe.decideRefund(newestRefund(scene), 'succeeded'),
      notify,
    ],
    'partly_refunded',
    16.2,
  ],
  [
    'a refund in Stripe’s dashboard is taken from the balance',
    [pay, notify, ({ stripe }, { reference }) => stripe.refund(reference, 500), notify, look],
    'partly_refunded',
    21.6,
  ],
  [
    'a dispute marks the order',
    [pay, notify, ({ stripe }, { reference }) => stripe.dispute(reference, 'needs_response'), notify],
    'disputed',
    WHOLE,
  ],
  [
    'an inquiry counts as a dispute',
    [pay, notify, ({ stripe }, { reference }) => stripe.dispute(reference, 'warning_needs_response'), notify],
    'disputed',
    WHOLE,
  ],
  [
    'a won dispute keeps the credit',
    [
      pay,
      notify,
      ({ stripe }, { reference }) => stripe.dispute(reference, 'needs_response'),
      notify,
      ({ stripe }, { reference }) => stripe.dispute(reference, 'won'),
      notify,
      look,
    ],
    'won',
    WHOLE,
  ],
  [
    'a closed inquiry keeps the credit',
    [
      pay,
      notify,
      ({ stripe }, { reference }) => stripe.dispute(reference, 'warning_needs_response'),
      notify,
      ({ stripe }, { reference }) => stripe.dispute(reference, 'warning_closed'),
      notify,
    ],
    'won',
    WHOLE,
  ],
  [
    'a lost dispute takes the credit once',
    [
      pay,
      notify,
      ({ stripe }) => Object.assign(stripe.webhooks, { copies: 2 }),
      ({ stripe }, { reference }) => stripe.dispute(reference, 'needs_response'),
      notify,
      ({ stripe }, { reference }) => stripe.dispute(reference, 'lost'),
      notify,
      look,
    ],
    'lost',
    0,
  ],
]

const newestRefund = ({ stripe }: StripeScene): string =>
  [...stripe.state.objects.values()].filter(({ object }) => object === 'refund').at(-1)?.id ?? ''

test.each(CASES)('%s', async (_, steps, state, usd) => {
  const order = await scene.order()
  for (const step of steps) await step(scene, order)
  await scene.stripe.webhooks.settled()
  expect({ state: (await scene.read(order)).state, gained: gained() }).toEqual({ state, gained: usd })
})

test('Stripe’s report of a payment is stored with the order', async () => {
  const order = await scene.order()
  scene.stripe.pay(order.reference)
  await scene.stripe.webhooks.settled()
  expect(await scene.read(order)).toMatchObject({
    payment_reference: scene.stripe.object(order.reference).payment_intent,
    fee_minor: 103,
    tax_minor: null,
    tax_country: 'DE',
    receipt_url: expect.stringMatching(/^https:\/\/pay\.stripe\.com\/receipts\/pi_/),
    is_live: 0,
    trouble: null,
  })
})

test.each([
  ['before the request takes effect: 429', 429],
  ['before the request takes effect: 500', 500],
  ['after the request took effect: a lost answer', 'lost'],
] as const)('a failure of Stripe leads to one page and one credit (%s)', async (_, mishap) => {
  scene.stripe.mishaps.push(mishap)
  // Dropped: the mishap, after which the client may have tried again by itself.
  const order = await scene.order().catch(() => undefined)
  scene.stripe.mishaps.length = 0
  const again = order ?? (await scene.order())
  const pages = [...scene.stripe.state.objects.values()].filter(
    ({ object, client_reference_id }) =>
      object === 'checkout.session' && client_reference_id === String(again.id),
  )
  expect(pages).toHaveLength(1)
  scene.stripe.mishaps.push(mishap)
  scene.stripe.pay(again.reference)
  await scene.stripe.webhooks.settled()
  scene.stripe.mishaps.length = 0
  await scene.look(again)
  expect({ state: (await scene.read(again)).state, gained: gained() }).toEqual({
    state: 'paid',
    gained: WHOLE,
  })
})

test('a refund whose answer is lost is requested again with its key, and made once', async () => {
  const order = await scene.order()
  scene.stripe.pay(order.reference)
  await scene.stripe.webhooks.settled()
  scene.stripe.webhooks.way = 'lose'
  // The list of refunds is read first; then the refund is requested three times.
  scene.stripe.mishaps.push(undefined, 'lost', 'lost', 'lost')
  const requests_before = scene.stripe.requests.length
  await expect(scene.refund(order, 1_000)).rejects.toThrow('The answer is lost.')
  const requests = scene.stripe.requests.slice(requests_before)
  expect(requests.filter((request) => request === 'POST /v1/refunds')).toHaveLength(3)
  expect((await scene.look(order)).state).toBe('partly_refunded')
  const refunds = [...scene.stripe.state.objects.values()].filter(
    ({ object, payment_intent }) =>
      object === 'refund' && payment_intent === scene.stripe.object(order.reference).payment_intent,
  )
  expect(refunds).toHaveLength(1)
  expect(gained()).toBe(16.2)
})

test('a refund of an amount that Stripe cannot express is refused, and the balance gets it back', async () => {
  const order = await scene.order(12_340, 'KWD')
  scene.stripe.pay(order.reference)
  await scene.look(order)
  const before = gained()
  await scene.refund(order, 1_005)
  expect([(await scene.read(order)).state, gained()]).toEqual(['refund_failed', before])
})

test('a payment that is started again is the same one', async () => {
  const { startPayment } = await import('../../../plugins/payments/ordering.ts')
  const order = await scene.order()
  const again = await startPayment(scene.payments.parts, order.id)
  expect(again).toEqual({
    reference: order.reference,
    go_to: `${scene.stripe.origin}/pay/${order.reference}`,
  })
})

test('an account is one customer of Stripe, which is made anew after it was deleted there', async () => {
  const first = await scene.order()
  const { customer } = scene.stripe.object(first.reference)
  expect(scene.stripe.object((await scene.order()).reference).customer).toBe(customer)
  scene.stripe.state.objects.delete(String(customer))
  const other = scene.stripe.object((await scene.order()).reference).customer
  expect(other).not.toBe(customer)
  expect(scene.stripe.object(String(other))).toMatchObject({
    name: 'lena',
    metadata: { tollgate_account: String(scene.account_id) },
  })
})

test.each([
  ['JPY', 500, 500],
  ['ISK', 5_000, 500_000],
  ['KWD', 12_340, 12_340],
  ['EUR', 2_550, 2_550],
])('%s is charged in Stripe’s own unit', async (currency, amount_minor, amount) => {
  const order = await scene.order(amount_minor, currency)
  expect(scene.stripe.object(order.reference)).toMatchObject({
    currency: currency.toLowerCase(),
    amount_total: amount,
  })
  scene.stripe.pay(order.reference)
  await scene.stripe.webhooks.settled()
  expect((await scene.read(order)).state).toBe('paid')
})

test('an amount that Stripe cannot charge is refused before the payment starts', async () => {
  await expect(scene.order(12_345, 'KWD')).rejects.toThrow('amount: cards cannot be charged 12.345 KWD')
})
