// Customers of erased accounts, over sockets: deleted at Stripe with their cards, once; outages, kills, charges under way, and keys that reach them no more.
import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { checkPayments } from '../../../plugins/payments/check.ts'
import { createOrder } from '../../../plugins/payments/ordering.ts'
import { paymentOrderOf, providerOf } from '../../../plugins/payments/parts.ts'
import type { PaymentSettings } from '../../../plugins/payments/settings.ts'
import { createErasedCustomers, UNREACHABLE_MS } from '../../../plugins/payments/stripe/erased-customers.ts'
import { isTestKey } from '../../../plugins/payments/stripe/settings.ts'
import type { PaymentCustomer } from '../../../plugins/payments/stripe/tables.ts'
import { DAY_MS } from '../../../src/domain/ranges.ts'
import { createScene } from '../../app/commands/scene.ts'
import { type StripeScene, stripeScene } from './scene.ts'

/** An erasure rewrites the database. */
setDefaultTimeout(60_000)

const MINUTE_MS = 60_000
/** The gateway's own round of each minute deletes none: each test makes the rounds. */
let may_gateway_delete = false
const scene: StripeScene = await stripeScene({
  network: async (url, init) => {
    if (url.includes('/v1/customers/') && (init.method as string) === 'DELETE' && !may_gateway_delete)
      throw new Error('left to the test')
    return await scene.stripe.network(url, init)
  },
})

let named = 0
let account = { id: 0, name: '' }
let now_ms = 0
beforeEach(async () => {
  now_ms = Date.now()
  scene.stripe.mishaps.length = 0
  const name = `payer-${++named}`
  account = { id: (await scene.gateway.account(name)).id, name }
})

/** An account with a saved card. @returns the number of its customer */
async function withCard(): Promise<string> {
  const page = await scene.payments.cards.begin({ account_id: account.id, account: account.name }, undefined)
  scene.stripe.pay(page.slice(page.lastIndexOf('/') + 1))
  await scene.stripe.webhooks.settled()
  await scene.payments.cards.of(account.id)
  const [row] = await rows()
  expect(row?.card_last4).toBe('4242')
  return row?.reference ?? ''
}
const rows = () =>
  scene.gateway.store.rows<PaymentCustomer>(
    `SELECT * FROM payment_customers WHERE account_id = ${account.id}`,
  )
async function erase(): Promise<void> {
  const cli = createScene('nothing', scene.gateway.data_folder)
  Object.assign(cli, { now_ms, env: { STRIPE_KEY: scene.stripe.key, STRIPE_WEBHOOK: 'whsec_1' } })
  await cli.json('account', 'erase', account.name, '--yes')
}
const logged: string[] = []
/** Of one process: a start begins with another. */
const worker = (settings: () => Partial<PaymentSettings> = scene.payments.settings) =>
  createErasedCustomers({
    db: scene.gateway.store,
    now: () => now_ms,
    log: { info() {}, warn: (_: object, message?: string) => void logged.push(message ?? ''), error() {} },
    settings: settings as () => PaymentSettings,
    publicUrl: () => 'https://gateway.example',
    network: (url, init) => scene.stripe.network(url, init),
  })
const deletions = () => scene.stripe.requests.filter((request) => request.startsWith('DELETE')).length
const isThere = (customer: string) => scene.stripe.object(customer).deleted !== true
const findings = async () =>
  (await checkPayments({ db: scene.gateway.store, now: () => now_ms }, 'alert'))
    .map(({ found }) => found)
    .filter((found) => found.includes(`account ${account.id} is erased`))
const lines = () =>
  scene.gateway.store.rows(
    `SELECT * FROM actions WHERE action = 'customer.deleted' AND account_id = ${account.id}`,
  )

test('the erasure leaves the number alone; the customer and its card are deleted at Stripe, and then the row', async () => {
  const customer = await withCard()
  await erase()
  expect(await rows()).toEqual([
    {
      ...{
        id: expect.any(Number),
        account_id: account.id,
        provider: 'stripe',
        is_live: 0,
        reference: customer,
      },
      ...{ card_setup: null, card_reference: null, card_brand: null, card_last4: null, card_expires: null },
      ...{ card_person_id: null, card_saved_at_ms: null, created_at_ms: expect.any(Number) },
    },
  ])
  const before = deletions()
  const work = worker()
  await work()
  await work()
  expect([isThere(customer), await rows(), deletions() - before, (await lines()).length]).toEqual([
    false,
    [],
    1,
    1,
  ])
  const cards = [...scene.stripe.state.objects.values()].filter((one) => one.customer === customer)
  expect(cards.filter(({ object }) => object === 'payment_method')).toEqual([])
})

test('a customer of an account that is closed, and not erased, stays', async () => {
  const customer = await withCard()
  const cli = createScene('nothing', scene.gateway.data_folder)
  await cli.json('account', 'close', account.name, '--yes')
  await worker()()
  expect([isThere(customer), (await rows()).length]).toEqual([true, 1])
})

test('a Stripe that is away is asked again after growing pauses; another start asks at once', async () => {
  const customer = await withCard()
  await erase()
  const work = worker()
  const asked: number[] = []
  for (let minute = 0; minute < 16; minute += 1) {
    scene.stripe.mishaps.splice(0, 9, 503, 503, 503)
    const before = deletions()
    await work()
    if (deletions() > before) asked.push(minute)
    now_ms += MINUTE_MS
  }
  expect([asked, isThere(customer), (await rows()).length]).toEqual([[0, 1, 3, 7, 15], true, 1])
  scene.stripe.mishaps.length = 0
  await work()
  expect(isThere(customer)).toBe(true)
  await worker()()
  expect([isThere(customer), await rows()]).toEqual([false, []])
})

test.each([
  ['whose answer was lost', () => void scene.stripe.mishaps.push('lost')],
  [
    'that was deleted in Stripe’s dashboard',
    (customer: string) => void Object.assign(scene.stripe.object(customer), { deleted: true }),
  ],
  ['of another account of Stripe', (customer: string) => void scene.stripe.state.objects.delete(customer)],
])('a customer %s is as good as deleted', async (_, prepare) => {
  const customer = await withCard()
  await erase()
  prepare(customer)
  await worker()()
  expect([await rows(), (await lines()).length]).toEqual([[], 1])
})

test('a kill after Stripe has deleted it, and before the row: the next start finds it gone', async () => {
  const customer = await withCard()
  await erase()
  await scene.stripe.network(`https://api.stripe.com/v1/customers/${customer}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${scene.stripe.key}`, 'stripe-version': '2026-10-28.endive' },
  })
  expect([isThere(customer), (await rows()).length]).toEqual([false, 1])
  await worker()()
  expect([await rows(), (await lines()).length]).toEqual([[], 1])
})

test('several gateways at once delete it once', async () => {
  await withCard()
  await erase()
  await Promise.all([1, 2, 3].map(() => worker()()))
  expect([await rows(), (await lines()).length]).toEqual([[], 1])
})

test('one that Stripe refuses holds up no other one', async () => {
  const refused = await withCard()
  await erase()
  const before = account
  const name = `payer-${++named}`
  account = { id: (await scene.gateway.account(name)).id, name }
  const other = await withCard()
  await erase()
  const work = worker()
  scene.stripe.mishaps.push(503, 503, 503)
  await work()
  scene.stripe.mishaps.length = 0
  await work()
  expect([isThere(refused), isThere(other)]).toEqual([true, false])
  account = before
  now_ms += MINUTE_MS
  await work()
  expect([isThere(refused), await rows()]).toEqual([false, []])
})

test('while its card may be being charged the customer stays, since the charge is found by it', async () => {
  const customer = await withCard()
  const { parts, settings } = scene.payments
  const request = { account_id: account.id, kind: 'automatic', method: 'stripe', currency: 'EUR' } as const
  const order = await createOrder(parts, settings(), { ...request, amount_minor: 2_500 })
  await scene.gateway.store.write((db) =>
    db.rows(`UPDATE orders SET next_look_at_ms = NULL WHERE id = ${order.id}`),
  )
  await erase()
  await worker()()
  expect([isThere(customer), (await rows()).length]).toEqual([true, 1])
  await scene.gateway.store.write((db) =>
    db.rows(`UPDATE orders SET state = 'cancelled' WHERE id = ${order.id}`),
  )
  await worker()()
  expect([isThere(customer), await rows()]).toEqual([false, []])
})

test('after a day it is an alert and a finding of the doctor, until it is deleted', async () => {
  const customer = await withCard()
  await erase()
  expect(await findings()).toEqual([])
  now_ms += DAY_MS + MINUTE_MS
  expect(await findings()).toEqual([
    `account ${account.id} is erased, but after a day its customer ${customer} is still at Stripe`,
  ])
  await worker()()
  expect(await findings()).toEqual([])
})

test.each([
  ['of the other mode', () => ({ stripe: { ...scene.payments.settings().stripe, secret_key: 'sk_live_1' } })],
  ['of a method that is set up no more', () => ({ stripe: undefined })],
])(
  'a customer %s is not asked about; it is reported for 30 days, then its number is forgotten',
  async (_, of) => {
    const customer = await withCard()
    await erase()
    const settings = () => ({ ...scene.payments.settings(), ...of() }) as PaymentSettings
    expect(isTestKey(settings().stripe?.secret_key ?? '')).toBe(false)
    const before = deletions()
    const work = worker(settings)
    await work()
    now_ms += UNREACHABLE_MS - MINUTE_MS
    await work()
    expect([isThere(customer), (await rows()).length, (await findings()).length]).toEqual([true, 1, 1])
    now_ms += 2 * MINUTE_MS
    logged.length = 0
    await work()
    expect([isThere(customer), await rows(), await findings(), (await lines()).length]).toEqual([
      true,
      [],
      [],
      0,
    ])
    expect([deletions() - before, logged]).toEqual([
      0,
      ['a customer at Stripe was left there: no key reached it'],
    ])
  },
)

test('an account that is erased while its customer is being made leaves none at Stripe', async () => {
  may_gateway_delete = true
  const { parts, settings } = scene.payments
  const request = { account_id: account.id, kind: 'top_up', method: 'stripe', currency: 'EUR' } as const
  const order = await createOrder(parts, settings(), { ...request, amount_minor: 2_500 })
  const seen = await paymentOrderOf(parts, order)
  const { network } = scene.stripe
  let customer = ''
  scene.stripe.network = async (url, init) => {
    const answer = await network(url, init)
    if (!url.endsWith('/v1/customers')) return answer
    scene.stripe.network = network
    customer = ((await answer.clone().json()) as { id: string }).id
    await erase()
    return answer
  }
  await expect(providerOf(parts, 'stripe').start(seen)).rejects.toThrow()
  expect([isThere(customer), await rows()]).toEqual([false, []])
})

/** What a kill loses: an answer of Stripe that makes a customer, or the request itself. */
async function killed(at: 'before Stripe is asked' | 'before its answer is kept'): Promise<string> {
  const { network } = scene.stripe
  let customer = ''
  scene.stripe.network = async (url, init) => {
    if (!url.endsWith('/v1/customers') || init.method !== 'POST') return await network(url, init)
    if (at === 'before its answer is kept')
      customer = ((await (await network(url, init)).json()) as { id: string }).id
    // The process is gone: it hears nothing, and tries nothing again.
    return new Response('{"error":{"message":"killed","type":"invalid_request_error"}}', { status: 400 })
  }
  await expect(begin()).rejects.toThrow()
  scene.stripe.network = network
  return customer
}
const begin = () => scene.payments.cards.begin({ account_id: account.id, account: account.name }, undefined)
const customersOf = (id: number) =>
  [...scene.stripe.state.objects.values()].filter(
    (one) =>
      one.object === 'customer' &&
      one.deleted !== true &&
      (one.metadata as { tollgate_account?: string }).tollgate_account === String(id),
  ).length
const TEN_MINUTES_MS = 10 * MINUTE_MS

test('a kill between the making of a customer and its row: the erasure finds it by its account and time', async () => {
  const customer = await killed('before its answer is kept')
  expect([(await rows()).length, isThere(customer)]).toEqual([1, true])
  await erase()
  const work = worker()
  await work()
  // The request might still be under way.
  expect([(await rows()).length, isThere(customer)]).toEqual([1, true])
  now_ms += TEN_MINUTES_MS + MINUTE_MS
  await work()
  expect([await rows(), isThere(customer), (await lines()).length]).toEqual([[], false, 1])
})

test('a kill before Stripe was asked: nothing is found, nobody else’s is deleted, and the row goes', async () => {
  await withCard()
  const other = account.id
  const name = `payer-${++named}`
  account = { id: (await scene.gateway.account(name)).id, name }
  await killed('before Stripe is asked')
  await erase()
  now_ms += TEN_MINUTES_MS + MINUTE_MS
  const before = deletions()
  await worker()()
  expect([await rows(), deletions() - before, customersOf(other)]).toEqual([[], 0, 1])
  // The audit log says of none that it was deleted.
  expect(await lines()).toEqual([])
})

test('another gateway’s customer of an account of the same number, in the same account of Stripe, stays', async () => {
  const customer = await killed('before its answer is kept')
  Object.assign(scene.stripe.object(customer).metadata as object, { tollgate_url: 'https://other.example' })
  await erase()
  now_ms += TEN_MINUTES_MS + MINUTE_MS
  await worker()()
  expect([await rows(), isThere(customer)]).toEqual([[], true])
})

test.each([
  ['before Stripe is asked', 0],
  ['before its answer is kept', 1],
] as const)('the next payment after a kill %s: one customer, under its number', async (at, made) => {
  await killed(at)
  expect(customersOf(account.id)).toBe(made)
  // Under another name the key of idempotency is another.
  account = { ...account, name: `${account.name} Ltd` }
  await begin()
  const [row] = await rows()
  expect([customersOf(account.id), isThere(row?.reference ?? '')]).toEqual([1, true])
})

test('a kill long after another one: the customer is found around the time at which Stripe was asked last', async () => {
  await killed('before Stripe is asked')
  await scene.gateway.store.write((db) =>
    db.rows(
      `UPDATE payment_customers SET created_at_ms = created_at_ms - ${DAY_MS} WHERE account_id = ${account.id}`,
    ),
  )
  await killed('before its answer is kept')
  account = { ...account, name: `${account.name} Ltd` }
  await begin()
  expect(customersOf(account.id)).toBe(1)
})

test('one whose number was lost is an alert after a day, without a number', async () => {
  await killed('before its answer is kept')
  await erase()
  now_ms += DAY_MS + MINUTE_MS
  expect(await findings()).toEqual([
    `account ${account.id} is erased, but after a day its customer may still be at Stripe`,
  ])
  await worker()()
  expect(await findings()).toEqual([])
})
