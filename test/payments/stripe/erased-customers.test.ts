// Customers of erased accounts, over sockets: deleted at Stripe with their cards, once; outages, kills, charges under way, and keys that no longer reach them.
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
/** Keeps the gateway's own rounds, one a minute, from deleting customers: each test makes the rounds. */
let may_gateway_delete = false
const scene: StripeScene = await stripeScene({
  network: async (url, init) => {
    if (url.includes('/v1/customers/') && (init.method as string) === 'DELETE' && !may_gateway_delete)
      throw new Error('left to the test')
    return await scene.stripe.network(url, init)
  },
})

let payer_count = 0
let account = { id: 0, name: '' }
let now_ms = 0
beforeEach(async () => {
  now_ms = Date.now()
  scene.stripe.mishaps.length = 0
  const name = `payer-${++payer_count}`
  account = { id: (await scene.gateway.account(name)).id, name }
})

/** Saves a card for the account. @returns the number of its customer */
async function saveCard(): Promise<string> {
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
/** The worker of one process; another one is a restart. */
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
const isAtStripe = (customer: string) => scene.stripe.object(customer).deleted !== true
const findings = async () =>
  (await checkPayments({ db: scene.gateway.store, now: () => now_ms }, 'alert'))
    .map(({ found }) => found)
    .filter((found) => found.includes(`account ${account.id} is erased`))
const lines = () =>
  scene.gateway.store.rows(
    `SELECT * FROM actions WHERE action = 'customer.deleted' AND account_id = ${account.id}`,
  )

test('an erasure keeps only the customer’s number, until the customer and its card are deleted at Stripe', async () => {
  const customer = await saveCard()
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
  expect([isAtStripe(customer), await rows(), deletions() - before, (await lines()).length]).toEqual([
    false,
    [],
    1,
    1,
  ])
  const cards = [...scene.stripe.state.objects.values()].filter((one) => one.customer === customer)
  expect(cards.filter(({ object }) => object === 'payment_method')).toEqual([])
})

test('the customer of an account that is closed, but not erased, stays', async () => {
  const customer = await saveCard()
  const cli = createScene('nothing', scene.gateway.data_folder)
  await cli.json('account', 'close', account.name, '--yes')
  await worker()()
  expect([isAtStripe(customer), (await rows()).length]).toEqual([true, 1])
})

test('a deletion is tried again after growing pauses while Stripe fails, and at once after a restart', async () => {
  const customer = await saveCard()
  await erase()
  const work = worker()
  const attempts: number[] = []
  for (let minute = 0; minute < 16; minute += 1) {
    scene.stripe.mishaps.splice(0, 9, 503, 503, 503)
    const before = deletions()
    await work()
    if (deletions() > before) attempts.push(minute)
    now_ms += MINUTE_MS
  }
  expect([attempts, isAtStripe(customer), (await rows()).length]).toEqual([[0, 1, 3, 7, 15], true, 1])
  scene.stripe.mishaps.length = 0
  await work()
  expect(isAtStripe(customer)).toBe(true)
  await worker()()
  expect([isAtStripe(customer), await rows()]).toEqual([false, []])
})

test.each([
  ['whose deletion was not answered', () => void scene.stripe.mishaps.push('lost')],
  [
    'that was deleted in Stripe’s dashboard',
    (customer: string) => void Object.assign(scene.stripe.object(customer), { deleted: true }),
  ],
  ['of another account of Stripe', (customer: string) => void scene.stripe.state.objects.delete(customer)],
])('a customer %s counts as deleted', async (_, prepare) => {
  const customer = await saveCard()
  await erase()
  prepare(customer)
  await worker()()
  expect([await rows(), (await lines()).length]).toEqual([[], 1])
})

test('after a kill between the deletions at Stripe and of the row, the next start deletes the row', async () => {
  const customer = await saveCard()
  await erase()
  await scene.stripe.network(`https://api.stripe.com/v1/customers/${customer}`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${scene.stripe.key}`, 'stripe-version': '2026-10-28.endive' },
  })
  expect([isAtStripe(customer), (await rows()).length]).toEqual([false, 1])
  await worker()()
  expect([await rows(), (await lines()).length]).toEqual([[], 1])
})

test('several gateways at once delete a customer once', async () => {
  await saveCard()
  await erase()
  await Promise.all([1, 2, 3].map(() => worker()()))
  expect([await rows(), (await lines()).length]).toEqual([[], 1])
})

test('a deletion that fails does not delay another one', async () => {
  const refused = await saveCard()
  await erase()
  const before = account
  const name = `payer-${++payer_count}`
  account = { id: (await scene.gateway.account(name)).id, name }
  const other = await saveCard()
  await erase()
  const work = worker()
  scene.stripe.mishaps.push(503, 503, 503)
  await work()
  scene.stripe.mishaps.length = 0
  await work()
  expect([isAtStripe(refused), isAtStripe(other)]).toEqual([true, false])
  account = before
  now_ms += MINUTE_MS
  await work()
  expect([isAtStripe(refused), await rows()]).toEqual([false, []])
})

test('a customer stays while its card may be charged, because the charge is found by it', async () => {
  const customer = await saveCard()
  const { parts, settings } = scene.payments
  const request = { account_id: account.id, kind: 'automatic', method: 'stripe', currency: 'EUR' } as const
  const order = await createOrder(parts, settings(), { ...request, amount_minor: 2_500 })
  await scene.gateway.store.write((db) =>
    db.rows(`UPDATE orders SET next_look_at_ms = NULL WHERE id = ${order.id}`),
  )
  await erase()
  await worker()()
  expect([isAtStripe(customer), (await rows()).length]).toEqual([true, 1])
  await scene.gateway.store.write((db) =>
    db.rows(`UPDATE orders SET state = 'cancelled' WHERE id = ${order.id}`),
  )
  await worker()()
  expect([isAtStripe(customer), await rows()]).toEqual([false, []])
})

test('a customer that is left for a day raises an alert, until it is deleted', async () => {
  const customer = await saveCard()
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
  ['of a method that is no longer set up', () => ({ stripe: undefined })],
])(
  'a customer %s causes no request, is reported for 30 days, and then its number is forgotten',
  async (_, of) => {
    const customer = await saveCard()
    await erase()
    const settings = () => ({ ...scene.payments.settings(), ...of() }) as PaymentSettings
    expect(isTestKey(settings().stripe?.secret_key ?? '')).toBe(false)
    const before = deletions()
    const work = worker(settings)
    await work()
    now_ms += UNREACHABLE_MS - MINUTE_MS
    await work()
    expect([isAtStripe(customer), (await rows()).length, (await findings()).length]).toEqual([true, 1, 1])
    now_ms += 2 * MINUTE_MS
    logged.length = 0
    await work()
    expect([isAtStripe(customer), await rows(), await findings(), (await lines()).length]).toEqual([
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

test('an account that is erased while its customer is being made leaves no customer at Stripe', async () => {
  may_gateway_delete = true
  const { parts, settings } = scene.payments
  const request = { account_id: account.id, kind: 'top_up', method: 'stripe', currency: 'EUR' } as const
  const order = await createOrder(parts, settings(), { ...request, amount_minor: 2_500 })
  const input = await paymentOrderOf(parts, order)
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
  await expect(providerOf(parts, 'stripe').start(input)).rejects.toThrow()
  expect([isAtStripe(customer), await rows()]).toEqual([false, []])
})

/** Loses, as a kill does, the request that makes a customer, or Stripe's answer to it. */
async function killedAt(at: 'before the request' | 'before the answer is stored'): Promise<string> {
  const { network } = scene.stripe
  let customer = ''
  scene.stripe.network = async (url, init) => {
    if (!url.endsWith('/v1/customers') || init.method !== 'POST') return await network(url, init)
    if (at === 'before the answer is stored')
      customer = ((await (await network(url, init)).json()) as { id: string }).id
    // The killed process gets no answer, and tries nothing again.
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

test('an erasure finds a customer whose number was lost by a kill, by its account and time', async () => {
  const customer = await killedAt('before the answer is stored')
  expect([(await rows()).length, isAtStripe(customer)]).toEqual([1, true])
  await erase()
  const work = worker()
  await work()
  // The request might still be under way.
  expect([(await rows()).length, isAtStripe(customer)]).toEqual([1, true])
  now_ms += TEN_MINUTES_MS + MINUTE_MS
  await work()
  expect([await rows(), isAtStripe(customer), (await lines()).length]).toEqual([[], false, 1])
})

test('after a kill before the request, nothing is found, no other customer is deleted, and the row is removed', async () => {
  await saveCard()
  const other = account.id
  const name = `payer-${++payer_count}`
  account = { id: (await scene.gateway.account(name)).id, name }
  await killedAt('before the request')
  await erase()
  now_ms += TEN_MINUTES_MS + MINUTE_MS
  const before = deletions()
  await worker()()
  expect([await rows(), deletions() - before, customersOf(other)]).toEqual([[], 0, 1])
  // The audit log records no deletion.
  expect(await lines()).toEqual([])
})

test('another gateway’s customer with the same account number, in the same account of Stripe, stays', async () => {
  const customer = await killedAt('before the answer is stored')
  Object.assign(scene.stripe.object(customer).metadata as object, { tollgate_url: 'https://other.example' })
  await erase()
  now_ms += TEN_MINUTES_MS + MINUTE_MS
  await worker()()
  expect([await rows(), isAtStripe(customer)]).toEqual([[], true])
})

test.each([
  ['before the request', 0],
  ['before the answer is stored', 1],
] as const)('the next payment after a kill %s uses one known customer', async (at, made) => {
  await killedAt(at)
  expect(customersOf(account.id)).toBe(made)
  // Another name changes the idempotency key.
  account = { ...account, name: `${account.name} Ltd` }
  await begin()
  const [row] = await rows()
  expect([customersOf(account.id), isAtStripe(row?.reference ?? '')]).toEqual([1, true])
})

test('after two kills far apart, the customer is found around the time of the last request', async () => {
  await killedAt('before the request')
  await scene.gateway.store.write((db) =>
    db.rows(
      `UPDATE payment_customers SET created_at_ms = created_at_ms - ${DAY_MS} WHERE account_id = ${account.id}`,
    ),
  )
  await killedAt('before the answer is stored')
  account = { ...account, name: `${account.name} Ltd` }
  await begin()
  expect(customersOf(account.id)).toBe(1)
})

test('a customer whose number was lost raises an alert after a day, without a number', async () => {
  await killedAt('before the answer is stored')
  await erase()
  now_ms += DAY_MS + MINUTE_MS
  expect(await findings()).toEqual([
    `account ${account.id} is erased, but after a day its customer may still be at Stripe`,
  ])
  await worker()()
  expect(await findings()).toEqual([])
})
