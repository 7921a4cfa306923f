// Commands of saved cards: the payment of a plan's next months, and automatic top-up; beside a gateway, refusals first.
import { afterAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { saveCustomer, setCard } from '../../../plugins/payments/stripe/customers.ts'
import { createScene } from '../../app/commands/scene.ts'
import { startTestGateway } from '../../support/gateway.ts'
import { catalogueWith } from '../stripe/scene.ts'

/** Each command opens the database anew, which takes PostgreSQL a while. */
setDefaultTimeout(60_000)

const env = { STRIPE_KEY: 'sk_test_1', STRIPE_WEBHOOK: 'whsec_1' }
const gateway = await startTestGateway({
  catalogue: `${catalogueWith('currencies = ["EUR", "USD"]')}
[[plans.offered]]
name = "pro"
title = "Pro"
price_usd = "20"
models = ["*"]
usd_per_month = 60
`,
  env,
})
const cli = createScene('nothing', gateway.data_folder)
cli.env = env
afterAll(() => gateway.stop())

let payer_count = 0
let name = ''
let account_id = 0
beforeEach(async () => {
  cli.now_ms = Date.now()
  name = `payer-${++payer_count}`
  ;({ id: account_id } = await gateway.account(name, { balance_usd: '50' }))
})

async function saveCard(): Promise<void> {
  const key = { account_id, provider: 'stripe', is_live: 0 }
  const { id } = await saveCustomer(gateway.store, key, { reference: `cus_${account_id}`, created_at_ms: 1 })
  const card = { card_reference: 'pm_1', card_brand: 'visa', card_last4: '4242', card_expires: '2030-08' }
  await gateway.store.begin(async (tx) => {
    await tx.lock(account_id)
    await setCard(tx, id, { ...card, card_person_id: null, card_saved_at_ms: 1 })
  })
}
const renewal = (...args: string[]) => cli.run('plan', 'renewal', ...args)
const refused = (...args: string[]) => cli.refusal('plan', 'renewal', ...args)

test.each([
  ['without a plan', ['show'], 'has no plan.'],
  ['without a plan, from the balance', ['balance'], 'The account has no plan.'],
  ['without a card', ['card', '--currency', 'EUR'], 'No card is saved. Save one first.'],
])('`plan renewal` is refused %s', async (_, [verb = '', ...options], message) => {
  expect(await refused(verb, name, ...options)).toContain(message)
})

test.each([
  [
    'a currency that is no longer charged',
    ['--currency', 'JPY'],
    'not charged in JPY. Choose one of USD, EUR.',
  ],
  [
    'a payment method that is not set up',
    ['--currency', 'EUR', '--method', 'kiosk'],
    '"kiosk" is not set up',
  ],
])('%s is refused, and the balance still pays', async (_, options, message) => {
  await saveCard()
  await cli.run('plan', 'subscribe', name, 'pro')
  expect(await refused('card', name, ...options)).toContain(message)
  expect((await renewal('show', name)).out).toBe(`Pro of ${name} renews by the balance.`)
})

test('an unknown account is refused', async () => {
  expect(await refused('show', 'nobody')).toContain('nobody')
})

test('the card is chosen, shown and unset again, and the audit log records both changes', async () => {
  await saveCard()
  await cli.run('plan', 'subscribe', name, 'pro')
  const { status, out } = await renewal('card', name, '--currency', 'eur')
  expect([status, out]).toEqual([
    0,
    `Pro of ${name} renews by the saved card (stripe, EUR) where the balance is too low.`,
  ])
  expect(await cli.json('plan', 'renewal', 'show', name)).toEqual({
    ...{ account: name, plan: 'Pro', renews: true, failure: null, open_order_id: null },
    ...{ next_try_at: null, next_try_at_ms: null },
    card: { method: 'stripe', method_title: 'stripe', currency: 'EUR' },
  })
  expect((await renewal('balance', name)).out).toBe(`Pro of ${name} renews by the balance.`)
  const { actions } = await cli.json('audit-log', name)
  const chosen = actions.filter(({ action }: { action: string }) => action === 'plan.payment_changed')
  expect(chosen).toHaveLength(2)
  await cli.run('plan', 'cancel', name)
  expect((await renewal('show', name)).out).toBe(`Pro of ${name} is cancelled, and not renewed.`)
})

test('the renewal is shown even if the command’s environment lacks the secrets of the payment method', async () => {
  await saveCard()
  await cli.run('plan', 'subscribe', name, 'pro')
  await renewal('card', name, '--currency', 'EUR')
  cli.env = {}
  expect((await renewal('show', name)).out).toContain('the saved card (stripe, EUR)')
  cli.env = env
})

test('automatic top-up is refused without a card; with one it is set, shown and turned off', async () => {
  const wanted = ['--below', '5', '--add', '25', '--currency', 'EUR', '--at-most', '100']
  const topUp = (verb: string, ...options: string[]) => [
    'account',
    'automatic-top-up',
    verb,
    name,
    ...options,
  ]
  expect((await cli.run(...topUp('show'))).out).toBe(`${name} has no automatic top-up.`)
  expect(await cli.refusal(...topUp('set', ...wanted))).toContain('No card is saved.')
  await saveCard()
  const set = `${name}: 25.00 EUR below 5.00 USD, at most 100.00 EUR a month.\nThis month: 0.00 EUR.`
  expect((await cli.run(...topUp('set', ...wanted))).out).toBe(set)
  expect((await cli.run(...topUp('show'))).out).toBe(set)
  expect((await cli.run(...topUp('off'))).out).toContain(
    `${name}: off (person); it was 25.00 EUR below 5.00 USD`,
  )
})
