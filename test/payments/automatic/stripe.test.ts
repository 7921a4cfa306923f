// Automatic top-ups by a card that is saved at Stripe, over sockets: paid, declined, asked to confirm, and turned off with the card.
import { beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { setAutomaticTopUp } from '../../../plugins/payments/automatic/setting.ts'
import { automaticTopUpOf } from '../../../plugins/payments/automatic/store.ts'
import { NANOS_PER_USD } from '../../../src/domain/money.ts'
import type { Means } from '../../providers/fake-stripe/payments.ts'
import { eventually } from '../../support/eventually.ts'
import { stripeScene } from '../stripe/scene.ts'

setDefaultTimeout(30_000)

const scene = await stripeScene()

const BY = { actor: { kind: 'system' as const }, now_ms: 1 }
beforeEach(async () => {
  await scene.payments.cards.remove(scene.account_id, BY)
})

/** Saves a card that the bank accepts at first, as saving requires; later charges of it end as `means` says. */
async function saveCard(means: Means): Promise<void> {
  const page = await scene.payments.cards.begin({ account_id: scene.account_id, account: 'lena' }, 7)
  scene.stripe.pay(page.slice(page.lastIndexOf('/') + 1))
  await scene.stripe.webhooks.settled()
  await scene.payments.cards.of(scene.account_id)
  for (const object of scene.stripe.state.objects.values())
    if (object.object === 'payment_method') object.means = means
}
const turnOn = (below_usd = 1_000) =>
  scene.gateway.store.begin((tx) =>
    setAutomaticTopUp(
      tx,
      { ...scene.payments.parts, settings: scene.payments.settings },
      {
        account_id: scene.account_id,
        below_nanos: below_usd * NANOS_PER_USD,
        currency: 'EUR',
        amount_minor: 2_500,
        month_limit_minor: 2_500,
      },
    ),
  )
const setting = async () => await automaticTopUpOf(scene.gateway.store, scene.account_id)
/** The gateway's own timer works meanwhile, like another gateway. */
const workUntil = (isDone: (now: NonNullable<Awaited<ReturnType<typeof setting>>>) => boolean) =>
  eventually('a top-up was concluded', async () => {
    await scene.payments.automatic.work()
    const now = await setting()
    return now !== undefined && isDone(now)
  })

test('automatic top-up cannot be turned on without a saved card', async () => {
  await expect(turnOn()).rejects.toThrow('No card is saved.')
})

test.each([
  ['card_declined', 'The saved card was declined: Your card was declined.'],
  ['card_asking', 'Your bank asks you to confirm the payment. Add funds once by hand, or save another card.'],
] as const)('a charge that the bank refuses (%s) takes nothing and is recorded', async (means, failure) => {
  await saveCard(means)
  const before = scene.balance()
  await turnOn()
  scene.payments.automatic.spent(scene.account_id)
  await workUntil(({ failures }) => failures === 1)
  expect(await setting()).toMatchObject({ is_on: 1, failure, order_id: null })
  expect(scene.balance()).toBe(before)
})

test('a card whose customer is unknown to Stripe, because it was deleted or Stripe’s account changed, is no longer saved', async () => {
  await saveCard('card')
  for (const { id, object } of scene.stripe.state.objects.values())
    if (object === 'customer') scene.stripe.state.objects.delete(id)
  const before = scene.balance()
  await turnOn()
  scene.payments.automatic.spent(scene.account_id)
  await workUntil(({ failures }) => failures === 1)
  expect(await setting()).toMatchObject({ failure: 'No card is saved. Save one.', order_id: null })
  expect(await scene.payments.cards.of(scene.account_id)).toBeUndefined()
  expect(scene.balance()).toBe(before)
})

test('the card tops up a balance below the threshold once, and removing the card turns automatic top-up off', async () => {
  await saveCard('card')
  const before = scene.balance()
  await turnOn()
  scene.payments.automatic.spent(scene.account_id)
  await workUntil(({ order_id, next_try_at_ms }) => order_id === null && next_try_at_ms > 0)
  expect(Math.round((scene.balance() - before) * 100)).toBe(2_700)
  await scene.payments.cards.remove(scene.account_id, BY)
  expect(await setting()).toMatchObject({ is_on: 0, off_reason: 'card' })
})
