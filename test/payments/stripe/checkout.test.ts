// Payments on Stripe's page, over sockets: what a payer, Stripe and its webhooks do, and what the order and the balance are then.
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
/** In USD, since the test began. */
const gained = (): number => Math.round((scene.balance() - before) * 1e6) / 1e6

type Step = (scene: StripeScene, order: Order & { reference: string }) => unknown

const pays: Step = ({ stripe }, { reference }) => stripe.pay(reference)
const debits: Step = ({ stripe }, { reference }) => stripe.pay(reference, 'sepa_debit')
const hears: Step = ({ stripe }) => stripe.webhooks.settled()
const looks: Step = (at, order) => at.look(order)
const loses: Step = ({ stripe }) => {
  stripe.webhooks.way = 'lose'
}
const holds: Step = ({ stripe }) => {
  stripe.webhooks.way = 'hold'
}

/** 25.00 EUR at 1.08. */
const WHOLE = 27

const CASES: [name: string, steps: Step[], state: Order['state'], gained: number][] = [
  ['nobody pays: it stays open', [looks], 'open', 0],
  ['a payment is credited by its webhook', [pays, hears], 'paid', WHOLE],
  ['a payment whose webhook is lost is credited by a look', [loses, pays, looks], 'paid', WHOLE],
  [
    'webhooks that come twice credit once',
    [({ stripe }) => Object.assign(stripe.webhooks, { copies: 3 }), pays, hears, looks, looks],
    'paid',
    WHOLE,
  ],
  [
    'webhooks that come in another order credit once',
    [holds, pays, ({ stripe }) => stripe.webhooks.release('reversed'), looks],
    'paid',
    WHOLE,
  ],
  [
    'webhooks and looks at once credit once',
    [pays, (at, order) => Promise.all([looks(at, order), looks(at, order), hears(at, order)])],
    'paid',
    WHOLE,
  ],
  [
    'a page that expires closes the order',
    [({ stripe }, { reference }) => stripe.expire(reference), hears, looks],
    'cancelled',
    0,
  ],
  ['a bank debit is on its way: nothing is credited yet', [debits, hears, looks], 'open', 0],
  [
    'a bank debit that arrives days later is credited',
    [debits, hears, ({ stripe }, { reference }) => stripe.arrive(reference), hears],
    'paid',
    WHOLE,
  ],
  [
    'a bank debit that fails credits nothing',
    [debits, hears, ({ stripe }, { reference }) => stripe.arrive(reference, false), hears],
    'cancelled',
    0,
  ],
  [
    'a payment after the order was cancelled is credited all the same',
    [
      async ({ payments, gateway }, { id }) => {
        const { cancelOrder } = await import('../../../plugins/payments/ordering.ts')
        await cancelOrder(payments.parts, id, { source: 'page' })
        void gateway
      },
      pays,
      hears,
    ],
    'paid',
    WHOLE,
  ],
  [
    'a part is refunded',
    [pays, hears, (at, order) => at.refund(order, 1_000), hears],
    'partly_refunded',
    16.2,
  ],
  [
    'all is refunded, in parts',
    [
      pays,
      hears,
      (at, order) => at.refund(order, 1_000),
      hears,
      (at, order) => at.refund(order, null),
      hears,
    ],
    'refunded',
    0,
  ],
  [
    'a refund that Stripe refuses gives the money back to the balance',
    [
      pays,
      hears,
      ({ stripe }) => {
        stripe.behaviour.refund_status = 'failed'
      },
      (at, order) => at.refund(order, 1_000),
    ],
    'refund_failed',
    WHOLE,
  ],
  [
    'a refund that waits at Stripe and fails gives the money back later',
    [
      pays,
      hears,
      ({ stripe }) => {
        stripe.behaviour.refund_status = 'pending'
      },
      (at, order) => at.refund(order, 1_000),
      ({ stripe }) => stripe.decideRefund(newestRefund(scene), 'failed'),
      hears,
    ],
    'refund_failed',
    WHOLE,
  ],
  [
    'a refund that waits at Stripe is done once Stripe says so',
    [
      pays,
      hears,
      ({ stripe }) => {
        stripe.behaviour.refund_status = 'pending'
      },
      (at, order) => at.refund(order, 1_000),
      ({ stripe }) => stripe.decideRefund(newestRefund(scene), 'succeeded'),
      hears,
    ],
    'partly_refunded',
    16.2,
  ],
  [
    'a refund in Stripe’s dashboard leaves the balance',
    [pays, hears, ({ stripe }, { reference }) => stripe.refund(reference, 500), hears, looks],
    'partly_refunded',
    21.6,
  ],
  [
    'a dispute is seen',
    [pays, hears, ({ stripe }, { reference }) => stripe.dispute(reference, 'needs_response'), hears],
    'disputed',
    WHOLE,
  ],
  [
    'an inquiry is a dispute, too',
    [pays, hears, ({ stripe }, { reference }) => stripe.dispute(reference, 'warning_needs_response'), hears],
    'disputed',
    WHOLE,
  ],
  [
    'a dispute that is won leaves the credit',
    [
      pays,
      hears,
      ({ stripe }, { reference }) => stripe.dispute(reference, 'needs_response'),
      hears,
      ({ stripe }, { reference }) => stripe.dispute(reference, 'won'),
      hears,
      looks,
    ],
    'won',
    WHOLE,
  ],
  [
    'an inquiry that is closed leaves the credit',
    [
      pays,
      hears,
      ({ stripe }, { reference }) => stripe.dispute(reference, 'warning_needs_response'),
      hears,
      ({ stripe }, { reference }) => stripe.dispute(reference, 'warning_closed'),
      hears,
    ],
    'won',
    WHOLE,
  ],
  [
    'a dispute that is lost takes the credit, once',
    [
      pays,
      hears,
      ({ stripe }) => Object.assign(stripe.webhooks, { copies: 2 }),
      ({ stripe }, { reference }) => stripe.dispute(reference, 'needs_response'),
      hears,
      ({ stripe }, { reference }) => stripe.dispute(reference, 'lost'),
      hears,
      looks,
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

test('what Stripe says of a payment is kept with the order', async () => {
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
  ['before anything was done: 429', 429],
  ['before anything was done: 500', 500],
  ['after it: its answer is lost', 'lost'],
] as const)('a failure of Stripe %s: one page, one credit', async (_, mishap) => {
  scene.stripe.mishaps.push(mishap)
  // Dropped: the mishap, which the client may have mended by itself.
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

test('a refund whose answer is lost is asked for again under its key, and made once', async () => {
  const order = await scene.order()
  scene.stripe.pay(order.reference)
  await scene.stripe.webhooks.settled()
  scene.stripe.webhooks.way = 'lose'
  // The list of refunds is read first; then the refund is made, three times.
  scene.stripe.mishaps.push(...(['lost', 'lost', 'lost', 'lost', 'lost', 'lost'] as const))
  // Dropped: the lost answer.
  await scene.refund(order, 1_000).catch(() => {})
  scene.stripe.mishaps.length = 0
  await scene.look(order)
  const refunds = [...scene.stripe.state.objects.values()].filter(
    ({ object, payment_intent }) =>
      object === 'refund' && payment_intent === scene.stripe.object(order.reference).payment_intent,
  )
  expect(refunds.length).toBeLessThanOrEqual(1)
  expect(gained()).toBe(16.2)
})

test('a refund of a part of a currency that Stripe has no amount for is refused, and the balance has it back', async () => {
  const order = await scene.order(12_340, 'KWD')
  scene.stripe.pay(order.reference)
  await scene.look(order)
  const before = gained()
  await scene.refund(order, 1_005)
  expect([(await scene.read(order)).state, gained()]).toEqual(['refund_failed', before])
})

test('a payment that is begun again is the same one', async () => {
  const { startPayment } = await import('../../../plugins/payments/ordering.ts')
  const order = await scene.order()
  const again = await startPayment(scene.payments.parts, order.id)
  expect(again).toEqual({
    reference: order.reference,
    go_to: `${scene.stripe.origin}/pay/${order.reference}`,
  })
})

test('an account is one customer of Stripe; one that was deleted there is made anew', async () => {
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

test('a part of a currency that Stripe does not charge is refused before anything is begun', async () => {
  await expect(scene.order(12_345, 'KWD')).rejects.toThrow('amount: cards cannot be charged 12.345 KWD')
})
