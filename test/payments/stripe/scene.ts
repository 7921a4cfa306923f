// The scene of card payments: a gateway over sockets, a fake Stripe behind it, and an account that pays.
import { afterAll } from 'bun:test'
import { plugins } from '../../../plugins/index.ts'
import { createOrder, startPayment } from '../../../plugins/payments/ordering.ts'
import { openPayments, type Payments } from '../../../plugins/payments/payments.ts'
import { refreshOrder } from '../../../plugins/payments/refreshing.ts'
import { beginRefund, debitRefund, requestRefund } from '../../../plugins/payments/refunding.ts'
import { paymentSettings } from '../../../plugins/payments/settings.ts'
import { orderById } from '../../../plugins/payments/store.ts'
import type { Order } from '../../../plugins/payments/tables.ts'
import { definePlugin, type Plugin } from '../../../src/app/plugin.ts'
import { NANOS_PER_USD } from '../../../src/domain/money.ts'
import { type FakeStripe, registerEndpoint, startFakeStripe } from '../../providers/fake-stripe/index.ts'
import { catalogueOf } from '../../support/catalogue.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../../support/gateway.ts'

const PUBLIC_URL = 'https://gateway.example'
export const WEBHOOK_SECRET = 'whsec_of_the_fake'

/** @param lines of [payments.stripe] besides its secrets */
export const catalogueWith = (lines = '', payments = ''): string =>
  catalogueOf({
    upstream_url: 'simulator',
    server: `public_url = "${PUBLIC_URL}"`,
    more: `
[payments]
rates = { USD = "1", EUR = "1.08", JPY = "0.0067", ISK = "0.0072", KWD = "3.25" }
${payments}

[payments.stripe]
secret_key = "env:STRIPE_KEY"
webhook_secret = "env:STRIPE_WEBHOOK"
${lines}`,
  })

export interface StripeScene {
  gateway: TestGateway
  stripe: FakeStripe
  payments: Payments
  account_id: number
  /** Makes an order, and starts its payment. @returns the order, with the number of its page */
  order(amount_minor?: number, currency?: string): Promise<Order & { reference: string }>
  /** The order as it is now. */
  read(order: Pick<Order, 'id'>): Promise<Order>
  look(order: Pick<Order, 'id'>): Promise<Order>
  refund(order: Pick<Order, 'id'>, amount_minor: number | null, into_debt?: boolean): Promise<void>
  /** The balance in USD; debt is below zero. */
  balance(): number
}

/** The plugins, and access to the gateway's payments for tests. */
function watchPayments(): { plugins: Plugin[]; payments: () => Payments } {
  let opened: Payments | undefined
  const watch = definePlugin({
    name: 'watched-payments',
    open(gateway) {
      opened = openPayments(gateway, () => paymentSettings.of(gateway.calls.catalogue()))
    },
  })
  return {
    plugins: [...plugins, watch],
    payments() {
      if (!opened) throw new Error('payments were not opened')
      return opened
    },
  }
}

interface SceneOptions extends TestGatewayOptions {
  lines?: string
  payments?: string
  key?: string
}

/** Opens a scene that all tests of a file share. */
export async function stripeScene({
  lines,
  payments: more,
  key = 'sk_test_of_the_fake',
  ...options
}: SceneOptions = {}): Promise<StripeScene> {
  const stripe = startFakeStripe({ key, ...(options.now ? { now: options.now } : {}) })
  const { plugins, payments } = watchPayments()
  const gateway = await startTestGateway({
    catalogue: catalogueWith(lines, more),
    env: { STRIPE_KEY: key, STRIPE_WEBHOOK: WEBHOOK_SECRET },
    plugins,
    network: (url, init) => stripe.network(url, init),
    ...options,
  })
  registerEndpoint(stripe, new URL('/payments/stripe/webhook', gateway.url).href)
  const { id: account_id } = await gateway.account('lena')
  const { parts, settings } = payments()
  const scene: StripeScene = {
    gateway,
    stripe,
    payments: payments(),
    account_id,
    async order(amount_minor = 2_500, currency = 'EUR') {
      const request = { account_id, kind: 'top_up', method: 'stripe', currency, amount_minor } as const
      const order = await createOrder(parts, settings(), request)
      const { reference } = await startPayment(parts, order.id)
      return { ...(await scene.read(order)), reference }
    },
    read: ({ id }) => orderById(gateway.store, id),
    look: ({ id }) => refreshOrder(parts, id, { source: 'poll' }),
    async refund({ id: order_id }, amount_minor, into_debt = false) {
      const cause = { source: 'operator' as const }
      const refund = await beginRefund(parts, { order_id, amount_minor, into_debt, reason: 'asked for' })
      await debitRefund(parts, refund, cause)
      await requestRefund(parts, refund.id, cause)
    },
    balance() {
      const row = gateway.rows().accounts.find(({ id }) => id === account_id)
      return ((row?.balance_nanos ?? 0) - (row?.debt_nanos ?? 0)) / NANOS_PER_USD
    },
  }
  afterAll(async () => {
    await stripe.webhooks.settled()
    await gateway.stop()
    await stripe[Symbol.asyncDispose]()
  })
  return scene
}
