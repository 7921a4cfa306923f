// Paying at the console: offers; orders that are made once, paid, looked up and cancelled; refusals.
import { describe, expect, test } from 'bun:test'
import { MAX_ORDERS_A_MINUTE } from '../../../plugins/payments/console/order-rate.ts'
import { MAX_OPEN_ORDERS } from '../../../plugins/payments/ordering.ts'
import type { ConsoleClient, ConsoleRequest } from '../../support/console-session.ts'
import { paymentScene } from './scene.ts'

const clock = { now_ms: Date.UTC(2026, 10, 29, 12) }
const scene = await paymentScene({ now: () => clock.now_ms })
const { owner, operator, fake, gateway } = scene
const NANOS = 1_000_000_000

const offer = (amount: string, currency = 'EUR', method = 'fake') =>
  owner.json(
    'GET',
    `/payment-offer?method=${method}&currency=${currency}&amount=${encodeURIComponent(amount)}`,
  )

const startedBy = async (client: ConsoleClient, sent: ConsoleRequest) =>
  (await (await client.send('POST', '/orders', sent)).json()) as {
    order: { id: number; state: string }
    go_to: string | null
  }

const TWO_DIGITS = 'amount: enter an amount above 0 with at most 2 digits after the point.'

describe('offers', () => {
  test('payment methods are listed with rates, bounds, presets and bonuses', async () => {
    expect(await owner.json('GET', '/payment-methods')).toEqual({
      methods: [
        {
          charges_cards: false,
          name: 'fake',
          title: 'Fake card',
          is_test: false,
          currencies: [
            { currency: 'EUR', min: '5.00', max: '1000.00', rate_usd: '1.08' },
            { currency: 'USD', min: '5.00', max: '1000.00', rate_usd: '1.00' },
            { currency: 'JPY', min: '500', max: '100000', rate_usd: '0.0067' },
          ],
        },
      ],
      presets: ['10', '25'],
      bonuses: [{ from_nanos: 50 * NANOS, from_usd: '50.00', percent: 5 }],
    })
  })

  test.each([
    ['25', 'EUR', '25.00', '27.00', '0.00'],
    ['25.5', 'EUR', '25.50', '27.54', '0.00'],
    [' 25.00 ', 'USD', '25.00', '25.00', '0.00'],
    ['46.29', 'EUR', '46.29', '49.9932', '0.00'],
    ['46.30', 'EUR', '46.30', '52.5042', '2.5002'],
    ['1000', 'JPY', '1000', '6.70', '0.00'],
  ])('%s %s is offered with its credit', async (typed, currency, amount, credit_usd, bonus_usd) => {
    expect(await offer(typed, currency)).toMatchObject({ amount, currency, credit_usd, bonus_usd })
  })

  test.each([
    ['25.001', 'EUR', 'fake', 400, 'amount', TWO_DIGITS],
    ['25,00', 'EUR', 'fake', 400, 'amount', TWO_DIGITS],
    ['1e3', 'EUR', 'fake', 400, 'amount', TWO_DIGITS],
    ['-25', 'EUR', 'fake', 400, 'amount', TWO_DIGITS],
    ['0', 'EUR', 'fake', 400, 'amount', TWO_DIGITS],
    ['', 'EUR', 'fake', 400, 'amount', TWO_DIGITS],
    ['1000.5', 'JPY', 'fake', 400, 'amount', 'amount: enter a whole number above 0.'],
    ['4.99', 'EUR', 'fake', 400, 'amount', 'amount: must be at least 5.00 EUR.'],
    ['1000.01', 'EUR', 'fake', 400, 'amount', 'amount: must be at most 1000.00 EUR.'],
    ['999999999999', 'EUR', 'fake', 400, 'amount', 'amount: must be at most 1000.00 EUR.'],
    ['25', 'GBP', 'fake', 400, 'currency', 'currency: Fake card takes EUR, USD, JPY.'],
    ['25', 'ABC', 'fake', 400, 'currency', 'currency: is unknown. Choose one of the payment method.'],
    ['25', 'EUR', 'paypal', 422, 'method', expect.stringContaining('"paypal" is not set up')],
  ])('%s %s by %s is refused', async (amount, currency, method, status, param, message) => {
    const query = `method=${method}&currency=${currency}&amount=${encodeURIComponent(amount)}`
    const refusal = { status, param, message }
    expect(await scene.refused(owner, 'GET', `/payment-offer?${query}`)).toMatchObject(refusal)
    expect(await scene.refused(owner, 'POST', '/orders', { method, currency, amount })).toMatchObject(refusal)
    expect((await owner.json('GET', '/orders')).orders).toEqual([])
  })
})

describe('an order', () => {
  test('is made, leads to its payment page, and is credited once when the payer returns', async () => {
    const before = scene.balance() ?? 0
    const answer = await owner.json('POST', '/orders', { method: 'fake', currency: 'EUR', amount: '25' })
    const { id } = answer.order
    expect(answer).toMatchObject({
      go_to: `https://pay.example/${id}`,
      problem: null,
      order: {
        ...{ state: 'open', amount: '25.00', currency: 'EUR', credit_usd: '27.00', person: 'owner' },
        ...{ can_pay: true, can_cancel: true, can_refund: false, entry_id: null, method_title: 'Fake card' },
        changes: [],
      },
    })
    fake.pay(id, {
      receipt_url: 'https://pay.example/receipt',
      fee_minor: 60,
      tax_minor: 399,
      tax_country: 'DE',
    })
    const paid = await owner.json('POST', `/orders/${id}/look`)
    const { entry_id } = paid
    expect(paid).toMatchObject({
      ...{
        state: 'paid',
        can_pay: false,
        can_cancel: false,
        left: '25.00',
        receipt_url: 'https://pay.example/receipt',
      },
      ...{ tax: '3.99', tax_country: 'DE', entry_id: expect.any(Number) },
      changes: [{ subject: 'order', from: 'open', to: 'paid' }],
    })
    await owner.json('POST', `/orders/${id}/look`)
    expect(scene.balance()).toBe(before + 27 * NANOS)
    const { entries } = await owner.json('GET', `/entries?first=${entry_id}&limit=1`)
    expect(entries).toMatchObject([
      { id: paid.entry_id, note: `Order ${id}: 25.00 EUR`, amount_usd: '27.00' },
    ])
  })

  test('hides fees, the provider’s report and the source of each change from its account', async () => {
    const id = await scene.makePaidOrder('25', { fee_minor: 60 })
    const view = await owner.json('GET', `/orders/${id}`)
    expect(Object.keys(view)).not.toContain('report')
    expect(Object.keys(view)).not.toContain('reference')
    expect(Object.keys(view)).not.toContain('attention')
    expect(view.changes[0]).toEqual({
      ...{ subject: 'order', refund_id: null, from: 'open', to: 'paid' },
      ...{ changed_at: expect.any(String), changed_at_ms: clock.now_ms },
    })
    expect(await operator.json('GET', `/orders/${id}`)).toMatchObject({
      ...{ reference: `pay_${id}`, attention: null, can_refund: true },
      report: { fee: '0.60', payment_reference: `ch_${id}` },
      changes: [{ source: 'page', detail: { paid: '25.00 EUR' } }],
    })
  })

  test('is made once for a double click, by its Idempotency-Key', async () => {
    const body = { method: 'fake', currency: 'EUR', amount: '30' }
    const headers = { 'idempotency-key': 'click-1' }
    const answers = await Promise.all([1, 2, 3].map(() => startedBy(owner, { body, headers })))
    const ids = new Set(answers.map(({ order }) => order.id))
    expect(ids.size).toBe(1)
    expect(new Set(answers.map(({ go_to }) => go_to)).size).toBe(1)
    const other = await owner.send('POST', '/orders', { body: { ...body, amount: '31' }, headers })
    expect(other.status).toBe(422)
    expect(await other.json()).toMatchObject({ error: { code: 'idempotency_key_reused' } })
    // Another account may use the same key.
    const bob = await scene.as('owner', 'bob')
    const bobs = await startedBy(bob, { body, headers })
    expect(ids.has(bobs.order.id)).toBe(false)
    const [id] = ids
    await owner.json('POST', `/orders/${id}/cancel`)
    const again = await startedBy(owner, { body, headers })
    expect(again).toMatchObject({ go_to: null, problem: null, order: { id, state: 'cancelled' } })
  })

  test('is made even if its payment method does not answer, and is paid from its page later', async () => {
    fake.is_down = true
    const { order, go_to, problem } = await owner.json('POST', '/orders', {
      ...{ method: 'fake', currency: 'EUR', amount: '25' },
    })
    expect({ go_to, problem }).toEqual({
      go_to: null,
      problem:
        'Fake card: the payment method does not answer now. Try again in a minute, or choose another one.',
    })
    expect(await scene.refused(owner, 'POST', `/orders/${order.id}/pay`)).toMatchObject({
      status: 502,
      code: 'payment_method_failed',
    })
    fake.is_down = false
    expect(await owner.json('POST', `/orders/${order.id}/pay`)).toMatchObject({
      go_to: `https://pay.example/${order.id}`,
    })
    await owner.json('POST', `/orders/${order.id}/cancel`)
    expect(await scene.refused(owner, 'POST', `/orders/${order.id}/pay`)).toMatchObject({
      status: 409,
      code: 'order_closed',
      message: `Order ${order.id} is cancelled. Make a new one.`,
    })
  })

  test('is not cancelled if it was paid a moment ago', async () => {
    const id = await scene.makeOrder('25')
    fake.pay(id)
    expect(await scene.refused(owner, 'POST', `/orders/${id}/cancel`)).toMatchObject({
      status: 409,
      message: `Order ${id} is paid. Make a new one.`,
    })
    expect(await owner.json('GET', `/orders/${id}`)).toMatchObject({ state: 'paid' })
  })

  test('is cancelled even if its payment method does not answer', async () => {
    const id = await scene.makeOrder('25')
    fake.is_down = true
    expect(await owner.json('POST', `/orders/${id}/cancel`)).toMatchObject({ state: 'cancelled' })
    fake.is_down = false
    await operator.json('POST', `/orders/${id}/look`)
  })

  test('is not cancelled if its payment turns out to be pending', async () => {
    const id = await scene.makeOrder('25')
    fake.pay(id, { state: 'pending' })
    expect(await scene.refused(owner, 'POST', `/orders/${id}/cancel`)).toMatchObject({
      status: 409,
      code: 'payment_pending',
    })
    fake.pay(id)
    await operator.json('POST', `/orders/${id}/look`)
  })

  test('is shown as pending while the money is on its way, and cannot be cancelled or paid again', async () => {
    const id = await scene.makeOrder('25')
    fake.pay(id, { state: 'pending' })
    expect(await owner.json('POST', `/orders/${id}/look`)).toMatchObject({
      ...{
        state: 'open',
        is_pending: true,
        pending_since_at_ms: clock.now_ms,
        can_pay: false,
        can_cancel: false,
      },
    })
    expect(await scene.refused(owner, 'POST', `/orders/${id}/cancel`)).toMatchObject({
      status: 409,
      code: 'payment_pending',
    })
    expect(await scene.refused(owner, 'POST', `/orders/${id}/pay`)).toMatchObject({
      status: 409,
      code: 'payment_pending',
    })
    clock.now_ms += 3_600_000
    fake.pay(id)
    expect(await operator.json('POST', `/orders/${id}/look`)).toMatchObject({
      state: 'paid',
      is_pending: false,
    })
  })

  test('credits nothing if the wrong amount is paid, and only the staff sees why', async () => {
    const before = scene.balance()
    const id = await scene.makeOrder('25')
    fake.pay(id, { amount_minor: 2 })
    expect(await owner.json('POST', `/orders/${id}/look`)).toMatchObject({ state: 'open', changes: [] })
    expect(scene.balance()).toBe(before)
    const { orders } = await operator.json('GET', '/orders?stuck=yes')
    expect(orders).toMatchObject([
      {
        id,
        attention: expect.stringContaining('0.02 EUR was paid instead of 25.00 EUR.'),
        advice: expect.stringContaining('Compare the order'),
      },
    ])
    expect(await operator.json('GET', `/orders/${id}`)).toMatchObject({
      changes: [{ from: 'open', to: 'open', source: 'page' }],
    })
  })

  test('is looked up at most ten times a minute for its account’s pages, without a limit for the staff', async () => {
    const id = await scene.makeOrder('25')
    const looks = () => fake.lookups.filter((lookup) => lookup === id).length
    for (let times = 0; times < 15; times++) await owner.json('POST', `/orders/${id}/look`)
    expect(looks()).toBe(10)
    await operator.json('POST', `/orders/${id}/look`)
    expect(looks()).toBe(11)
  })

  test('stays open for its account while the method is down, and the staff gets an error', async () => {
    const id = await scene.makeOrder('25')
    fake.is_down = true
    expect(await owner.json('POST', `/orders/${id}/look`)).toMatchObject({ state: 'open' })
    expect(await scene.refused(operator, 'POST', `/orders/${id}/look`)).toMatchObject({ status: 502 })
    fake.is_down = false
  })
})

describe('another account', () => {
  test('does not find the order by any route', async () => {
    const id = await scene.makeOrder('25')
    const bob = await scene.as('owner', 'bob')
    for (const [method, path] of [
      ['GET', `/orders/${id}`],
      ['POST', `/orders/${id}/pay`],
      ['POST', `/orders/${id}/cancel`],
      ['POST', `/orders/${id}/look`],
    ] as const)
      expect([path, (await bob.send(method, path)).status]).toEqual([path, 404])
    expect((await bob.send('GET', '/orders?account=alice')).status).toBe(404)
    const body = { account: 'alice', method: 'fake', currency: 'EUR', amount: '25' }
    expect((await bob.send('POST', '/orders', { body })).status).toBe(404)
    const { orders } = await bob.json('GET', '/orders')
    expect(orders.every(({ account }: { account: string }) => account === 'bob')).toBe(true)
    expect(await owner.json('GET', `/orders/${id}`)).toMatchObject({ state: 'open' })
  })

  test('cannot order a payment once it is closed', async () => {
    await gateway.account('carl')
    const carl = await scene.as('owner', 'carl')
    const before = await scene.makeOrder('25', { by: carl })
    await operator.json('POST', `/orders/${before}/cancel`)
    await operator.json('POST', '/accounts/carl/close', { name: 'carl' })
    expect(
      await scene.refused(operator, 'POST', '/orders', {
        ...{ account: 'carl', method: 'fake', currency: 'EUR', amount: '25' },
      }),
    ).toMatchObject({ status: 422, code: 'account_closed' })
  })
})

describe('roles', () => {
  const body = { method: 'fake', currency: 'EUR', amount: '25' }

  test('billing pays and sees orders; a member or a key does neither', async () => {
    const billing = await scene.as('billing')
    const id = await scene.makeOrder('25', { by: billing })
    fake.pay(id)
    expect(await billing.json('POST', `/orders/${id}/look`)).toMatchObject({
      state: 'paid',
      person: 'billing',
    })
    const key = await scene.gateway.key('alice')
    for (const client of [await scene.as('member'), await scene.withKey(key)])
      for (const [method, path] of [
        ['GET', '/orders'],
        ['GET', '/orders.csv'],
        ['GET', `/orders/${id}`],
        ['GET', '/payment-methods'],
        ['POST', '/orders'],
        ['POST', `/orders/${id}/look`],
      ] as const)
        expect([
          path,
          await scene.refused(client, method, path, method === 'POST' ? body : undefined),
        ]).toMatchObject([path, { status: 403, code: 'role_may_not' }])
  })

  test('operators pay for an account that they name; support and auditors only read', async () => {
    expect(await scene.refused(operator, 'POST', '/orders', body)).toMatchObject({
      status: 400,
      param: 'account',
    })
    const { order } = await operator.json('POST', '/orders', { ...body, account: 'bob' })
    expect(order).toMatchObject({ account: 'bob', state: 'open' })
    for (const role of ['support', 'auditor'] as const) {
      const client = await scene.staff(role)
      expect(await client.json('GET', `/orders/${order.id}`)).toMatchObject({
        id: order.id,
        report: { looks: 0 },
      })
      for (const path of ['cancel', 'look', 'pay', 'refund'])
        expect([
          path,
          (await client.send('POST', `/orders/${order.id}/${path}`, { body: {} })).status,
        ]).toEqual([path, 403])
    }
    await operator.json('POST', `/orders/${order.id}/cancel`)
  })
})

test(`an account has at most ${MAX_OPEN_ORDERS} open orders`, async () => {
  await gateway.account('dora')
  const dora = await scene.as('owner', 'dora')
  const ids: number[] = []
  for (let count = 0; count < MAX_OPEN_ORDERS; count++) ids.push(await scene.makeOrder('25', { by: dora }))
  const body = { method: 'fake', currency: 'EUR', amount: '25' }
  expect(await scene.refused(dora, 'POST', '/orders', body)).toMatchObject({
    status: 429,
    message: `The account has ${MAX_OPEN_ORDERS} open orders. Pay or cancel one of them first.`,
  })
  await dora.json('POST', `/orders/${ids[0]}/cancel`)
  await scene.makeOrder('25', { by: dora })
})

test('an account makes at most thirty orders a minute, cancelled ones included', async () => {
  const { as, refused } = scene
  const billing = await as('billing')
  let orders = 0
  for (; orders <= MAX_ORDERS_A_MINUTE; orders++) {
    const { order } = await startedBy(billing, { body: { method: fake.name, currency: 'EUR', amount: '25' } })
    if (order === undefined) break
    await billing.json('POST', `/orders/${order.id}/cancel`)
  }
  expect(orders).toBeLessThanOrEqual(MAX_ORDERS_A_MINUTE)
  const again = { method: fake.name, currency: 'EUR', amount: '25' }
  expect(await refused(owner, 'POST', '/orders', again)).toMatchObject({
    status: 429,
    message: expect.stringContaining('payments within a minute. Try again in'),
  })
})

test('an account starts one payment at most thirty times a minute, and the staff without a limit', async () => {
  const { as, refused, operator } = scene
  await gateway.account('eve')
  const eve = await as('owner', 'eve')
  const id = await scene.makeOrder('25', { by: eve })
  const before = fake.started.length
  const answers = await Promise.all(
    Array.from({ length: MAX_ORDERS_A_MINUTE + 5 }, () => eve.send('POST', `/orders/${id}/pay`)),
  )
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(5)
  expect(fake.started.length - before).toBeLessThanOrEqual(MAX_ORDERS_A_MINUTE)
  expect(await refused(eve, 'POST', `/orders/${id}/pay`)).toMatchObject({
    status: 429,
    message: expect.stringContaining('payments within a minute. Try again in'),
  })
  expect((await operator.send('POST', `/orders/${id}/pay`)).status).toBe(200)
})
