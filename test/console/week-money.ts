// Money in of a week: orders over a fake Stripe and by bank transfer, a saved card, vouchers, referrals and plans.
import type { FakeStripe } from '../providers/fake-stripe/index.ts'
import { signedIn } from '../support/console-session.ts'
import type { TestGateway } from '../support/gateway.ts'

export const WEEK_STRIPE_KEY = 'sk_test_of_the_week'

/** The sections of the catalogue. */
export const WEEK_MONEY = `
[payments]
presets = ["10", "25", "50", "100"]
rates = { EUR = "1.08", USD = "1" }
bonuses = [{ from_usd = "50", percent = "5" }]

[payments.stripe]
secret_key = "${WEEK_STRIPE_KEY}"
webhook_secret = "whsec_of_the_fake"

[payments.manual]
instructions = "Send {amount} to DE02 1203 0000 0000 2020 51.\\nReference: {reference}"
currencies = ["EUR"]

[referral]
share = 0.1

[[plans.offered]]
name = "pro"
title = "Pro"
price_usd = "20.00"
models = ["claude-*", "gemini-*"]
usd_per_5h = 5
usd_per_month = 60
overflow = true

[[plans.offered]]
name = "studio"
title = "Studio"
price_usd = "90.00"
models = ["*"]
usd_per_week = 60
concurrent_calls = 8
`

/** Alice has an order in each state that people meet; the first one is paid. She saves a card and buys a plan, and bob redeems a voucher. */
export async function makeMoney(gateway: TestGateway, stripe: FakeStripe): Promise<void> {
  const alice = await signedIn(gateway, { account: 'alice' })
  const operator = await signedIn(gateway, 'operator')
  const order = async (method: string, amount: string): Promise<number> =>
    (await alice.json('POST', '/orders', { method, currency: 'EUR', amount })).order.id
  const lastPage = () => [...stripe.state.objects.keys()].findLast((id) => id.startsWith('cs_')) ?? ''
  const pay = async (id: number): Promise<void> => {
    stripe.pay(lastPage())
    await alice.json('POST', `/orders/${id}/look`)
  }
  await pay(await order('stripe', '50'))
  const refunded = await order('stripe', '25')
  await pay(refunded)
  await operator.json('POST', `/orders/${refunded}/refund`, { amount: '10', reason: 'Two days lost' })
  const disputed = await order('stripe', '100')
  await pay(disputed)
  stripe.dispute(lastPage(), 'needs_response')
  await operator.json('POST', `/orders/${disputed}/look`)
  await order('manual', '40')
  await order('stripe', '10')

  await alice.json('POST', '/payment-card', {})
  stripe.pay(lastPage())
  await alice.json('GET', '/payment-card')

  const { codes } = await operator.json('POST', '/voucher-batches', {
    ...{ amount: '5', count: 4, days: 90, once_per_account: true, note: 'Spring fair' },
  })
  const bob = await signedIn(gateway, { account: 'bob' })
  await bob.json('POST', '/vouchers/redeem', { code: codes[0] })
  // One plan goes on, one ends with its month.
  await alice.json('POST', '/plan/buy', { plan: 'pro' })
  const acme = await signedIn(gateway, { account: 'acme' })
  await acme.json('POST', '/plan/buy', { plan: 'studio' })
  await acme.json('POST', '/plan/cancel', {})
  await stripe.webhooks.settled()
}
