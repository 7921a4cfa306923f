// Stripe under the contract of payment methods, and in the commands of orders, which take its key from the catalogue as the gateway does.
import { expect, setDefaultTimeout, test } from 'bun:test'
import { contractFaults } from '../../../plugins/payments/custom/contract.ts'
import { createScene } from '../../app/commands/scene.ts'
import { stripeScene, WEBHOOK_SECRET } from './scene.ts'

/** Each command opens the database and loads Stripe's library anew. */
setDefaultTimeout(20_000)

const scene = await stripeScene()

test('Stripe keeps the contract of payment methods', async () => {
  const stripe = scene.payments.parts.providers().find(({ name }) => name === 'stripe')
  if (!stripe) throw new Error('Stripe is not set up')
  expect(await contractFaults(stripe, Date.now())).toEqual([])
})

const cli = createScene('nothing', scene.gateway.data_folder)
cli.network = (url, init) => scene.stripe.network(url, init)
const SECRETS = { STRIPE_KEY: 'sk_test_of_the_fake', STRIPE_WEBHOOK: WEBHOOK_SECRET }

test('`order check` asks Stripe with the catalogue’s key, and `order refund` refunds there', async () => {
  const order = await scene.order(2_500, 'EUR')
  cli.env = SECRETS
  cli.now_ms = Date.now()
  expect((await cli.run('order', 'check', String(order.id))).out).toBe(
    `Order ${order.id} is open, as before.`,
  )
  scene.stripe.webhooks.way = 'lose'
  scene.stripe.pay(order.reference)
  const checked = await cli.run('order', 'check', String(order.id))
  expect([checked.status, checked.out]).toEqual([
    0,
    `Order ${order.id}: open → paid. 27.00 USD added to lena.`,
  ])
  const refunded = await cli.json('order', 'refund', String(order.id), '10', '--yes')
  expect(refunded).toMatchObject({
    state: 'partly_refunded',
    refund: { amount: '10.00 EUR', debit_usd: '10.80' },
  })
  expect(scene.balance()).toBe(16.2)
})

test('without the key in its environment, a command names the missing variable and moves no money', async () => {
  const order = await scene.order()
  cli.env = {}
  expect(await cli.refusal('order', 'check', String(order.id))).toContain('STRIPE_KEY')
  expect((await scene.read(order)).state).toBe('open')
})
