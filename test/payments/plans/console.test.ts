// Plans by payment at the console: prices by payment method, orders that start a plan, the card for the next months; refusals.
import { describe, expect, test } from 'bun:test'
import { errorOf } from '../../support/console-session.ts'
import { paymentScene } from '../console/scene.ts'

const NANOS = 1_000_000_000
/** Starts now, because the gateway's own sweeps process plans. */
const clock = { now_ms: Date.now() }
const scene = await paymentScene({
  now: () => clock.now_ms,
  method: { charge: () => 'paid' },
  more: `
[payments.manual]
currencies = ["EUR"]
instructions = "IBAN DE00"

[[plans.offered]]
name = "pro"
title = "Pro"
price_usd = 20
models = ["*"]
usd_per_month = 50

[[plans.offered]]
name = "max"
price_usd = 60
models = ["*"]
usd_per_month = 150

[[plans.offered]]
name = "huge"
price_usd = 2000
models = ["*"]
usd_per_month = 5000

[[plans.offered]]
name = "free"
price_usd = 0
models = ["*"]
usd_per_month = 1
`,
})
const { owner, operator, fake, gateway, refused } = scene

/** A new account and its owner. */
let accounts = 0
async function payer() {
  const name = `payer-${++accounts}`
  const { id } = await gateway.account(name)
  const client = await scene.as('owner', name)
  const order = async (plan: string, headers: Record<string, string> = {}, more: object = {}) => {
    const body = { plan, method: 'fake', currency: 'EUR', ...more }
    return await client.send('POST', '/plan-orders', { body, headers })
  }
  return {
    ...{ id, name, client, order },
    async orderPlan(plan = 'pro', headers: Record<string, string> = {}) {
      const { order: made } = (await (await order(plan, headers)).json()) as { order: { id: number } }
      return made.id
    },
    async pay(order_id: number, payment?: Parameters<typeof fake.pay>[1]) {
      fake.pay(order_id, payment)
      await client.json('POST', `/orders/${order_id}/look`)
    },
    plan: async () => (await client.json('GET', '/plan')).plan,
    balance: () => scene.balance(name),
  }
}

describe('prices', () => {
  const pricesOf = async (due: string) => {
    const { prices } = await owner.json('GET', `/plan-prices?due_nanos=${due}`)
    const of_method = prices.filter(({ method }: { method: string }) => method === 'fake')
    return of_method.map(({ currency, amount, rest_usd }: Record<string, string>) => [
      currency,
      amount,
      rest_usd,
    ])
  }

  test.each([
    [
      '20 USD',
      20 * NANOS,
      [
        ['EUR', '18.52', '0.0016'],
        ['USD', '20.00', '0.00'],
        ['JPY', '2986', '0.0062'],
      ],
    ],
    // A top-up of this amount has a bonus, a plan none.
    [
      '60 USD',
      60 * NANOS,
      [
        ['EUR', '55.56', '0.0048'],
        ['USD', '60.00', '0.00'],
        ['JPY', '8956', '0.0052'],
      ],
    ],
    [
      'a nano-dollar, raised to the minimum of the method',
      1,
      [
        ['EUR', '5.00', '5.399999999'],
        ['USD', '5.00', '4.999999999'],
        ['JPY', '500', '3.349999999'],
      ],
    ],
    [
      'more than the maximum in yen',
      900 * NANOS,
      [
        ['EUR', '833.34', '0.0072'],
        ['USD', '900.00', '0.00'],
      ],
    ],
    ['more than the maximum of the method', 2_000 * NANOS, []],
  ])('of %s', async (_, due, prices) => {
    expect(await pricesOf(String(due))).toEqual(prices)
  })

  test.each(['0', '-1', '1.5', '', 'x'])('of "%s" are refused', async (due) => {
    expect((await owner.send('GET', `/plan-prices?due_nanos=${due}`)).status).toBe(400)
  })
})

describe('an order of a plan', () => {
  test('starts the plan once it is paid', async () => {
    const { orderPlan, pay, plan, balance } = await payer()
    const id = await orderPlan()
    expect(await plan()).toBeNull()
    await pay(id)
    expect([await plan(), balance()]).toMatchObject([{ plan: 'pro', state: 'active' }, 1_600_000])
  })

  test('is made once for simultaneous requests with the same key', async () => {
    const { orderPlan, order } = await payer()
    const key = { 'idempotency-key': 'once' }
    const ids = await Promise.all([orderPlan('pro', key), orderPlan('pro', key), orderPlan('pro', key)])
    expect(new Set(ids).size).toBe(1)
    expect(await errorOf(await order('max', key))).toMatchObject({
      status: 422,
      code: 'idempotency_key_reused',
    })
  })

  test.each([
    ['an unknown plan', { plan: 'gold' }, 404, 'not_found'],
    ['a free plan', { plan: 'free' }, 422, 'nothing_due'],
    ['a plan above the method’s maximum', { plan: 'huge' }, 422, 'price_not_taken'],
    ['a method that is not set up', { plan: 'pro', method: 'stripe' }, 422, 'no_payment_method'],
    ['a currency without a rate', { plan: 'pro', currency: 'GBP' }, 422, 'price_not_taken'],
    [
      'a wrong price',
      { plan: 'pro', quote: { priced_at_ms: clock.now_ms, due_nanos: NANOS } },
      409,
      'price_changed',
    ],
    [
      'an outdated price',
      { plan: 'pro', quote: { priced_at_ms: 1, due_nanos: 20 * NANOS } },
      409,
      'price_changed',
    ],
    ['an amount in the request', { plan: 'pro', amount: '0.01' }, 400, 'invalid_request'],
    ['a missing plan', {}, 400, 'invalid_request'],
  ])(
    '%s is refused, and nothing is ordered',
    async (_, { plan = undefined, ...more }: Record<string, unknown>, status, code) => {
      const { order, client } = await payer()
      const answer = await order(plan as string, {}, more)
      expect(await errorOf(answer)).toMatchObject({ status, code })
      expect([
        (await client.json('GET', '/orders')).orders,
        (await client.json('GET', '/plan')).has_months,
      ]).toEqual([[], false])
    },
  )

  test('of the current plan, or of a cheaper one, is refused', async () => {
    const { orderPlan, pay, order } = await payer()
    await pay(await orderPlan('max'))
    expect(await errorOf(await order('max'))).toMatchObject({ status: 409, code: 'has_plan' })
    expect(await errorOf(await order('pro'))).toMatchObject({ status: 409, code: 'changes_later' })
  })

  test.each([
    ['too little', { amount_minor: 1_851 }],
    ['another currency', { currency: 'USD' }],
    ['a payment of another order', { order_id: 1 }],
    ['money of test mode', { is_test: true }],
  ])('paid by %s starts nothing, credits nothing, and is marked for the operator', async (_, payment) => {
    const { orderPlan, pay, plan, balance } = await payer()
    const id = await orderPlan()
    await pay(id, payment)
    expect([await plan(), balance()]).toEqual([null, 0])
    expect((await operator.json('GET', `/orders/${id}`)).attention).not.toBeNull()
  })

  test('is refused to a suspended account, to members and to keys', async () => {
    const { name, client } = await payer()
    const body = { plan: 'pro', method: 'fake', currency: 'EUR' }
    const member = await scene.as('member', name)
    const key = await scene.withKey(await gateway.key(name))
    for (const who of [member, key])
      for (const [method, path] of [
        ['POST', '/plan-orders'],
        ['GET', '/plan-renewal'],
        ['PUT', '/plan-renewal'],
      ] as const)
        expect([
          path,
          (await refused(who, method, path, method === 'GET' ? undefined : body)).status,
        ]).toEqual([path, 403])
    gateway.db.run("UPDATE accounts SET status = 'suspended' WHERE name = ?", [name])
    expect(await refused(client, 'POST', '/plan-orders', body)).toMatchObject({ status: 403 })
  })

  test('by an operator names the account, and is refused to support and auditors', async () => {
    const { name } = await payer()
    const body = { plan: 'pro', method: 'fake', currency: 'EUR' }
    expect(await refused(operator, 'POST', '/plan-orders', body)).toMatchObject({
      status: 400,
      param: 'account',
    })
    for (const role of ['support', 'auditor'] as const)
      expect(
        await refused(await scene.staff(role), 'POST', '/plan-orders', { ...body, account: name }),
      ).toMatchObject({ status: 403 })
    expect(await operator.json('POST', '/plan-orders', { ...body, account: name })).toMatchObject({
      order: { account: name, state: 'open' },
    })
  })
})

describe('the card for the next months', () => {
  const EUR = { currency: 'EUR' }

  test('can be chosen only for a plan, and only of a method that charges cards', async () => {
    const { client, orderPlan, pay } = await payer()
    expect(await refused(client, 'PUT', '/plan-renewal', { card: EUR })).toMatchObject({
      status: 404,
      code: 'no_plan',
    })
    await pay(await orderPlan())
    for (const [card, status] of [
      [{ ...EUR, method: 'gone' }, 422],
      [{ ...EUR, method: 'manual' }, 422],
      [{ currency: 'GBP' }, 400],
      [{ currency: 'euro' }, 400],
      [{}, 400],
      ['fake', 400],
    ] as const)
      expect([card, (await refused(client, 'PUT', '/plan-renewal', { card: card as never })).status]).toEqual(
        [card, status],
      )
    expect(await client.json('PUT', '/plan-renewal', { card: EUR })).toMatchObject({
      card: { method: 'fake', method_title: 'Fake card', currency: 'EUR' },
      currencies: ['EUR', 'USD', 'JPY'],
      ...{ open_order_id: null, failure: null, next_try_at_ms: null },
    })
    expect((await client.json('PUT', '/plan-renewal', { card: null })).card).toBeNull()
  })
})
