// Untrusted webhooks from Stripe: each credits nothing, and its answer reveals only the refusal.
import { beforeEach, describe, expect, test } from 'bun:test'
import { signatureOf } from '../../providers/fake-stripe/delivery.ts'
import { startFakeStripe } from '../../providers/fake-stripe/index.ts'
import { stripeScene, WEBHOOK_SECRET } from './scene.ts'

const scene = await stripeScene()

let before = 0
beforeEach(() => {
  scene.stripe.webhooks.way = 'lose'
  before = scene.balance()
})
const gained = (): number => scene.balance() - before

const now_s = (): number => Math.floor(Date.now() / 1_000)
const MINUTE_S = 60

const post = (body: string | Uint8Array, signature?: string): Promise<Response> =>
  fetch(new URL('/payments/stripe/webhook', scene.gateway.url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(signature === undefined ? {} : { 'stripe-signature': signature }),
    },
    body,
  })

/** An event of a paid session. */
const paidEvent = (session: Record<string, unknown>, more: Record<string, unknown> = {}): string =>
  JSON.stringify({
    id: 'evt_forged',
    object: 'event',
    type: 'checkout.session.completed',
    livemode: false,
    data: { object: { object: 'checkout.session', mode: 'payment', payment_status: 'paid', ...session } },
    ...more,
  })

const marked = (id: string, order_id: number) => ({ id, metadata: { tollgate_order: String(order_id) } })

describe('signatures', () => {
  const at = now_s()
  test.each<[name: string, sign: (body: string) => string | undefined]>([
    ['missing', () => undefined],
    ['empty', () => ''],
    ['of another secret', (body) => signatureOf(body, 'whsec_of_somebody', now_s())],
    ['of the secret with a space', (body) => signatureOf(body, `${WEBHOOK_SECRET} `, now_s())],
    ['of another body', () => signatureOf('{}', WEBHOOK_SECRET, now_s())],
    ['of an older scheme', (body) => signatureOf(body, WEBHOOK_SECRET, now_s(), 'v0')],
    ['from six minutes ago', (body) => signatureOf(body, WEBHOOK_SECRET, now_s() - 6 * MINUTE_S)],
    [
      'of another time than stated',
      (body) => signatureOf(body, WEBHOOK_SECRET, at - 6 * MINUTE_S).replace(/t=\d+/, `t=${now_s()}`),
    ],
    ['without its time', (body) => signatureOf(body, WEBHOOK_SECRET, now_s()).replace(/t=\d+,/, '')],
    ['cut off', (body) => signatureOf(body, WEBHOOK_SECRET, now_s()).slice(0, -1)],
  ])('a webhook is refused if its signature is %s, even if the payment was made', async (_, sign) => {
    const order = await scene.order()
    scene.stripe.pay(order.reference)
    const body = paidEvent(marked(order.reference, order.id))
    const answer = await post(body, sign(body))
    expect({
      status: answer.status,
      error: ((await answer.json()) as { error: { code: string } }).error.code,
    }).toEqual({
      status: 400,
      error: 'wrong_signature',
    })
    expect({ state: (await scene.read(order)).state, gained: gained() }).toEqual({ state: 'open', gained: 0 })
    await scene.look(order)
    expect((await scene.read(order)).state).toBe('paid')
  })
})

test('a signature over other bytes of the same JSON is refused', async () => {
  const body = paidEvent(marked('cs_test_1', 1))
  const answer = await post(
    JSON.stringify(JSON.parse(body), null, 1),
    signatureOf(body, WEBHOOK_SECRET, now_s()),
  )
  expect(answer.status).toBe(400)
})

test('a body above 256 KB is refused before its signature is checked', async () => {
  const body = paidEvent({ ...marked('cs_test_1', 1), padding: 'x'.repeat(256 * 1024) })
  expect((await post(body, signatureOf(body, WEBHOOK_SECRET, now_s()))).status).toBe(413)
})

describe('a signed event', () => {
  const signed = (body: string): Promise<Response> => post(body, signatureOf(body, WEBHOOK_SECRET, now_s()))

  test('is a hint, and credits nothing for a payment that was not made', async () => {
    const order = await scene.order()
    const { status } = await signed(paidEvent({ ...marked(order.reference, order.id), amount_total: 2_500 }))
    expect({ status, state: (await scene.read(order)).state, gained: gained() }).toEqual({
      status: 200,
      state: 'open',
      gained: 0,
    })
  })

  test('credits nothing more if it is replayed within its time', async () => {
    const order = await scene.order()
    scene.stripe.pay(order.reference)
    const body = paidEvent(marked(order.reference, order.id))
    const signature = signatureOf(body, WEBHOOK_SECRET, now_s())
    for (let time = 0; time < 3; time++) expect((await post(body, signature)).status).toBe(200)
    expect(gained()).toBe(27)
  })

  test.each<[name: string, body: (reference: string, id: number) => string]>([
    ['of a session without an order in its metadata', (id) => paidEvent({ id, metadata: {} })],
    ['of a session without an order here', (_, id) => paidEvent(marked('cs_test_unknown', id))],
    ['of a connected account', (reference, id) => paidEvent(marked(reference, id), { account: 'acct_1' })],
    [
      'of the live mode, under a test key',
      (reference, id) => paidEvent(marked(reference, id), { livemode: true }),
    ],
    ['of another kind of object', () => paidEvent({ id: 'in_1', object: 'invoice' })],
  ])('%s is accepted and does nothing', async (_, body) => {
    const order = await scene.order()
    scene.stripe.pay(order.reference)
    expect((await signed(body(order.reference, order.id))).status).toBe(200)
    expect({ state: (await scene.read(order)).state, gained: gained() }).toEqual({ state: 'open', gained: 0 })
  })

  test('gets a 502 while Stripe cannot be asked, so that it is sent again, and does not count as forged', async () => {
    const order = await scene.order()
    scene.stripe.pay(order.reference)
    const { payment_intent } = scene.stripe.object(order.reference)
    const body = paidEvent({ id: 'ch_1', object: 'charge', payment_intent })
    const refused = () => scene.gateway.log.text().split('a webhook was refused').length - 1
    const refused_before = refused()
    scene.stripe.key = 'sk_test_of_another'
    const answer = await signed(body)
    scene.stripe.key = 'sk_test_of_the_fake'
    expect({ status: answer.status, refused: refused() - refused_before, gained: gained() }).toEqual({
      ...{ status: 502, refused: 0, gained: 0 },
    })
    expect((await signed(body)).status).toBe(200)
    expect(gained()).toBe(27)
  })

  test('that is not JSON is refused', async () => {
    expect((await signed('paid')).status).toBe(400)
  })
})

describe('Stripe’s report of a payment', () => {
  test.each<[name: string, lie: (session: string) => void, state: string, trouble: RegExp | null]>([
    [
      'of another amount',
      (id) => {
        const { payment_intent } = scene.stripe.object(id)
        Object.assign(scene.stripe.object(String(payment_intent)), { amount_received: 100 })
      },
      'open',
      /^1\.00 EUR was paid instead of 25\.00 EUR\. Nothing was credited\./,
    ],
    [
      'of another currency',
      (id) => {
        const { payment_intent } = scene.stripe.object(id)
        Object.assign(scene.stripe.object(String(payment_intent)), { currency: 'usd' })
      },
      'open',
      /^25\.00 USD was paid instead of 25\.00 EUR\. Nothing was credited\./,
    ],
    [
      'of another order',
      (id) => Object.assign(scene.stripe.object(id), { metadata: { tollgate_order: '999' } }),
      'open',
      /^The payment is for order 999, not for this one\. Nothing was credited\./,
    ],
    [
      'without an order in its metadata',
      (id) => Object.assign(scene.stripe.object(id), { metadata: {} }),
      'open',
      /^The payment is for order 0, not for this one\. Nothing was credited\./,
    ],
    [
      'with a paid session and an unpaid payment',
      (id) => {
        const { payment_intent } = scene.stripe.object(id)
        Object.assign(scene.stripe.object(String(payment_intent)), {
          status: 'processing',
          amount_received: 0,
        })
      },
      'open',
      null,
    ],
    [
      'with a paid session without a payment',
      (id) => Object.assign(scene.stripe.object(id), { payment_intent: null }),
      'open',
      null,
    ],
  ])('%s credits nothing', async (_, lie, state, trouble) => {
    const order = await scene.order()
    scene.stripe.pay(order.reference)
    lie(order.reference)
    await scene.look(order)
    const read = await scene.read(order)
    expect({ state: read.state, gained: gained() } as object).toEqual({ state, gained: 0 })
    if (trouble === null) expect(read.trouble).toBeNull()
    else expect(read.trouble).toMatch(trouble)
  })

  test('is requested with the operator’s key, and a Stripe that does not know it credits nothing', async () => {
    const order = await scene.order()
    scene.stripe.pay(order.reference)
    scene.stripe.key = 'sk_test_of_another'
    await expect(scene.look(order)).rejects.toThrow('Card: the payment method does not answer now.')
    scene.stripe.key = 'sk_test_of_the_fake'
    expect(await scene.read(order)).toMatchObject({ state: 'open', unanswered_since_ms: expect.any(Number) })
    expect(gained()).toBe(0)
  })
})

test('a payment at someone else’s Stripe credits nothing', async () => {
  await using other = startFakeStripe()
  other.webhooks.url = new URL('/payments/stripe/webhook', scene.gateway.url).href
  other.webhooks.secret = 'whsec_of_somebody'
  const order = await scene.order()
  const copy = { ...scene.stripe.object(order.reference), status: 'complete', payment_status: 'paid' }
  other.state.objects.set(copy.id, copy)
  other.webhooks.emit('checkout.session.completed', copy)
  await other.webhooks.settled()
  expect({ statuses: other.webhooks.statuses, gained: gained() }).toEqual({ statuses: [400], gained: 0 })
})

test('refused webhooks are logged without a secret', async () => {
  const { gateway } = scene
  await post('{}', 't=1,v1=0')
  const log = gateway.log.written().join('')
  expect(log).toContain('a webhook was refused')
  expect(log).not.toContain(WEBHOOK_SECRET)
  expect(log).not.toContain('sk_test_of_the_fake')
})
