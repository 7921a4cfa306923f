// A payment method of a custom plugin, for tests: the test controls its answer for each payment.
import { Elysia } from 'elysia'
import { definePlugin, type Plugin } from '../../src/app/plugin.ts'
import type { Payment, PaymentProvider, PaymentRefund } from '../../src/payment-api.ts'

export interface FakeMethod {
  name: string
  plugin: Plugin
  /** Payments by the number of their order, as the method would report them now. */
  payments: Map<number, Payment>
  /** The orders whose payments were started, in sequence, repeats included. */
  started: number[]
  /** The orders that were looked up, repeats included. */
  lookups: number[]
  /** While true, its requests fail. */
  is_down: boolean
  /** The outcome of refunds. */
  refunds: PaymentRefund['state']
  /** The payer pays. @param payment the fields that differ from an ordinary payment */
  pay(order_id: number, payment?: Partial<Payment>): void
}

export interface FakeMethodOptions
  extends Partial<Pick<PaymentProvider, 'name' | 'title' | 'is_test' | 'currencies'>> {
  /** The page to pay on. */
  pageOf?: (order_id: number) => string
  /** The outcome of charges of saved cards; without it the method charges none. */
  charge?: () => 'paid' | { refused: string }
}

const referenceOf = (order_id: number) => `pay_${order_id}`

const LIMIT = { min_minor: 500, max_minor: 100_000 }
const LIMITS = { EUR: LIMIT, USD: LIMIT, JPY: LIMIT }

/** Takes 5.00 to 1,000.00. */
export function fakeMethod({
  name = 'fake',
  title = 'Fake card',
  currencies = ['EUR', 'USD', 'JPY'],
  charge,
  pageOf = (id) => `https://pay.example/${id}`,
  ...rest
}: FakeMethodOptions = {}): FakeMethod {
  const refunds_by_key = new Map<string, PaymentRefund>()
  const throwIfDown = () => {
    if (fake.is_down) throw new Error('connection refused')
  }
  const provider: PaymentProvider = {
    ...{ name, title, currencies, limits: LIMITS, ...rest },
    async start({ id, currency, amount_minor }) {
      throwIfDown()
      fake.started.push(id)
      if (!fake.payments.has(id)) fake.payments.set(id, { state: 'open', currency, amount_minor })
      return { reference: referenceOf(id), go_to: pageOf(id) }
    },
    async look(_reference, { id, currency, amount_minor }) {
      fake.lookups.push(id)
      throwIfDown()
      const refunds = [...refunds_by_key.values()].filter(({ reference }) =>
        reference.startsWith(`re_${id}_`),
      )
      return { ...(fake.payments.get(id) ?? { state: 'open', currency, amount_minor }), refunds }
    },
    ...(charge && {
      async chargeSaved({ id, currency, amount_minor }) {
        const charged = charge()
        if (charged !== 'paid') return charged
        fake.payments.set(id, { state: 'paid', currency, amount_minor })
        return { reference: referenceOf(id) }
      },
    }),
    async refund({ id }, amount_minor, key) {
      throwIfDown()
      const result = refunds_by_key.get(key) ?? {
        ...{ reference: `re_${id}_${refunds_by_key.size}`, key, amount_minor, state: fake.refunds },
        ...(fake.refunds === 'failed' && { message: 'card expired' }),
      }
      refunds_by_key.set(key, result)
      return result
    },
  }
  const fake: FakeMethod = {
    name,
    plugin: definePlugin({
      name: `${name}-method`,
      routes: async () => () => payPage(fake),
      open: ({ operations }) => void operations.payment_providers.push(provider),
    }),
    payments: new Map(),
    started: [],
    lookups: [],
    is_down: false,
    refunds: 'done',
    pay(order_id, payment = {}) {
      const payment_before = fake.payments.get(order_id)
      if (!payment_before) throw new Error(`no payment of order ${order_id} was begun`)
      fake.payments.set(order_id, {
        ...payment_before,
        state: 'paid',
        payment_reference: `ch_${order_id}`,
        ...payment,
      })
    },
  }
  return fake
}

/** The page where orders are paid, below the gateway's address: a button that pays, and leads back. */
const payPage = (fake: FakeMethod) =>
  new Elysia({ name: `${fake.name}-page` })
    .get('/fake-pay/:id', ({ params: { id } }) =>
      html(`<!doctype html><html lang="en"><title>Fake bank</title><body style="color:#000;background:#fff"><main><h1>Fake bank</h1>
        <form method="post"><button name="how" value="paid">Pay order ${Number(id)}</button>
        <button name="how" value="pending">Pay by bank debit</button></form></main>`),
    )
    .post(
      '/fake-pay/:id',
      async ({ params: { id }, request }) => {
        const pending = (await request.text()).includes('pending')
        fake.pay(Number(id), pending ? { state: 'pending' } : { fee_minor: 55 })
        return new Response(null, { status: 303, headers: { location: `/console/orders/${id}` } })
      },
      { parse: 'none' },
    )

const html = (text: string) => new Response(text, { headers: { 'content-type': 'text/html' } })
